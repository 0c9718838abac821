"""The order in which a run of the evaluation replays servers and tools.

It decides between tools with the same score. It is computed as internal/proxy/replay does: a
permutation by Go's generator PCG of math/rand/v2, whose seed is the number of the run and the
FNV-1a hash of what is permuted.
"""
M64, M128 = 2**64 - 1, 2**128 - 1


def permuted(run, what, items):
    """Returns the items in the order of a run."""
    items, hashed = list(items), 14695981039346656037
    for byte in what.encode():
        hashed = (hashed ^ byte) * 1099511628211 & M64
    state = run << 64 | hashed

    def bits():
        nonlocal state
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + 0x5851F42D4C957F2D14057B7EF767814F) & M128
        high, low = state >> 64, state & M64
        high = (high ^ high >> 32) * 0xDA942042E4DD58B5 & M64
        return (high ^ high >> 48) * (low | 1) & M64

    def below(n):
        if n & (n - 1) == 0:
            return bits() & (n - 1)
        product = (bits() >> 32) * n
        while product & 0xFFFFFFFF < -n % 2**32 % n:
            product = (bits() >> 32) * n
        return product >> 32

    for i in range(len(items) - 1, 0, -1):
        j = below(i + 1)
        items[i], items[j] = items[j], items[i]
    return items
