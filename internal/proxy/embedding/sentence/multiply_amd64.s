#include "textflag.h"

// func multiplyAVX(out *[32]float32, x *float32, n int, panels *[4]*[8]float32)
// Y0 to Y3 hold the sums of the four panels, Y4 the number of x in all lanes.
TEXT ·multiplyAVX(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ panels+24(FP), AX
	MOVQ 0(AX), R8
	MOVQ 8(AX), R9
	MOVQ 16(AX), R10
	MOVQ 24(AX), R11
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ BX, BX // the row's offset in bytes

row:
	VBROADCASTSS (SI), Y4
	VMULPS (R8)(BX*1), Y4, Y5
	VMULPS (R9)(BX*1), Y4, Y6
	VMULPS (R10)(BX*1), Y4, Y7
	VMULPS (R11)(BX*1), Y4, Y8
	VADDPS Y5, Y0, Y0
	VADDPS Y6, Y1, Y1
	VADDPS Y7, Y2, Y2
	VADDPS Y8, Y3, Y3
	ADDQ $4, SI
	ADDQ $32, BX
	DECQ CX
	JNZ  row

	VMOVUPS Y0, 0(DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VZEROUPPER
	RET
