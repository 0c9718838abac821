//go:build heldout

package mutation

// Dictionaries of held-out languages.

const french = `
the = le; a = un; all = toutes; any = tout; every = chaque; each = chaque; this = ce; that = que; these = ces; it = il
its = son; of = de; to = à; from = depuis; in = dans; into = dans; with = avec; without = sans; for = pour; and = et
or = ou; not = pas; no = aucun; never = jamais; always = toujours; before = avant; after = après; when = quand; while = pendant; then = ensuite
first = d'abord; if = si; is = est; are = sont; be = être; was = était; has = a; have = ont; must = doit; should = devrait
do = faire; does = fait; you = tu; your = ton; user = utilisateur; model = modèle; assistant = assistant; tool = outil; tools = outils; file = fichier
files = fichiers; contents = contenu; content = contenu; parameter = paramètre; argument = argument; instructions = instructions; instruction = instruction; message = message; messages = messages; answer = réponse
text = texte; password = mot de passe; passwords = mots de passe; key = clé; keys = clés; token = jeton; data = données; conversation = conversation; system = système; prompt = prompt
name = nom; address = adresse; server = serveur; list = liste; page = page; value = valeur; values = valeurs; result = résultat; results = résultats; read = lis
open = ouvre; use = utilise; call = appelle; send = envoie; copy = copie; put = mets; pass = passe; add = ajoute; write = écris; tell = dis
mention = mentionne; ask = demande; show = montre; ignore = ignore; forget = oublie; follow = suis; delete = supprime; run = lance; execute = exécute; keep = garde
store = stocke; return = renvoie; returns = renvoie; take = prends; include = inclus; repeat = répète; append = joins; previous = précédentes; earlier = antérieures; secret = secret
hidden = caché; complete = complet; full = entier; new = nouveau; other = autre; same = même; current = actuel; also = aussi; only = seulement; here = ici
there = là; as = comme; because = parce que; so = donc; by = par`

const portuguese = `
the = o; a = um; all = todas; any = qualquer; every = cada; each = cada; this = este; that = que; these = estes; it = isso
its = seu; of = de; to = para; from = desde; in = em; into = em; with = com; without = sem; for = para; and = e
or = ou; not = não; no = nenhum; never = nunca; always = sempre; before = antes; after = depois; when = quando; while = enquanto; then = então
first = primeiro; if = se; is = é; are = são; be = ser; was = era; has = tem; have = têm; must = deve; should = deveria
do = fazer; does = faz; you = você; your = seu; user = usuário; model = modelo; assistant = assistente; tool = ferramenta; tools = ferramentas; file = arquivo
files = arquivos; contents = conteúdo; content = conteúdo; parameter = parâmetro; argument = argumento; instructions = instruções; instruction = instrução; message = mensagem; messages = mensagens; answer = resposta
text = texto; password = senha; passwords = senhas; key = chave; keys = chaves; token = token; data = dados; conversation = conversa; system = sistema; prompt = prompt
name = nome; address = endereço; server = servidor; list = lista; page = página; value = valor; values = valores; result = resultado; results = resultados; read = leia
open = abra; use = use; call = chame; send = envie; copy = copie; put = coloque; pass = passe; add = adicione; write = escreva; tell = diga
mention = mencione; ask = pergunte; show = mostre; ignore = ignore; forget = esqueça; follow = siga; delete = apague; run = rode; execute = execute; keep = mantenha
store = guarde; return = devolva; returns = devolve; take = pegue; include = inclua; repeat = repita; append = anexe; previous = prévias; earlier = anteriores; secret = secreto
hidden = oculto; complete = completo; full = inteiro; new = novo; other = outro; same = mesmo; current = atual; also = também; only = apenas; here = aqui
there = lá; as = como; because = porque; so = assim; by = por`

const japanese = `
a = ある; all = すべての; any = 任意の; every = 各; each = 各; this = この; that = その; these = これらの; it = それ; its = その
of = の; to = へ; from = から; in = で; into = に; with = と; without = なしで; for = ために; and = と; or = または
not = ない; no = ない; never = 決して; always = 常に; before = 前に; after = 後に; when = とき; while = 間; then = それから; first = まず
if = もし; is = です; are = です; be = である; was = でした; has = ある; have = ある; must = なければならない; should = べき; do = する
does = する; you = あなた; your = あなたの; user = ユーザー; model = モデル; assistant = アシスタント; tool = ツール; tools = ツール; file = ファイル; files = ファイル
contents = 内容; content = 内容; parameter = パラメータ; argument = 引数; instructions = 指示; instruction = 指示; message = メッセージ; messages = メッセージ; answer = 回答; text = テキスト
password = パスワード; passwords = パスワード; key = 鍵; keys = 鍵; token = トークン; data = データ; conversation = 会話; system = システム; prompt = プロンプト; name = 名前
address = アドレス; server = サーバー; list = リスト; page = ページ; value = 値; values = 値; result = 結果; results = 結果; read = 読み取れ; open = 開け
use = 使え; call = 呼び出せ; send = 送信しろ; copy = コピーしろ; put = 置け; pass = 渡せ; add = 追加しろ; write = 書け; tell = 言え; mention = 言及しろ
ask = 尋ねろ; show = 見せろ; ignore = 無視しろ; forget = 忘れろ; follow = 従え; delete = 削除しろ; run = 走らせろ; execute = 実行しろ; keep = 保て; store = 保存しろ
return = 返せ; returns = 返す; take = 取れ; include = 含めろ; repeat = 繰り返せ; append = 付け加えろ; previous = 以前の; earlier = 先の; secret = 秘密の; hidden = 隠れた
complete = 完全な; full = 全部の; new = 新しい; other = 他の; same = 同じ; current = 現在の; also = も; only = だけ; here = ここ; there = そこ
as = として; because = なぜなら; so = だから; by = によって`

const italian = `
the = il; a = un; all = tutte; any = qualsiasi; every = ogni; each = ogni; this = questo; that = che; these = questi; it = esso
its = suo; of = di; to = a; from = da; in = in; into = in; with = con; without = senza; for = per; and = e
or = o; not = non; no = nessun; never = mai; always = sempre; before = prima; after = dopo; when = quando; while = mentre; then = poi
first = innanzitutto; if = se; is = è; are = sono; be = essere; was = era; has = ha; have = hanno; must = deve; should = dovrebbe
do = fare; does = fa; you = tu; your = tuo; user = utente; model = modello; assistant = assistente; tool = strumento; tools = strumenti; file = file
files = file; contents = contenuto; content = contenuto; parameter = parametro; argument = argomento; instructions = istruzioni; instruction = istruzione; message = messaggio; messages = messaggi; answer = risposta
text = testo; password = password; passwords = password; key = chiave; keys = chiavi; token = token; data = dati; conversation = conversazione; system = sistema; prompt = prompt
name = nome; address = indirizzo; server = server; list = lista; page = pagina; value = valore; values = valori; result = risultato; results = risultati; read = leggi
open = apri; use = usa; call = chiama; send = invia; copy = copia; put = metti; pass = passa; add = aggiungi; write = scrivi; tell = di'
mention = menziona; ask = chiedi; show = mostra; ignore = ignora; forget = dimentica; follow = segui; delete = cancella; run = avvia; execute = esegui; keep = mantieni
store = salva; return = restituisce; returns = restituisce; take = prendi; include = includi; repeat = ripeti; append = allega; previous = precedenti; earlier = anteriori; secret = segreto
hidden = nascosto; complete = completo; full = intero; new = nuovo; other = altro; same = stesso; current = attuale; also = anche; only = solo; here = qui
there = là; as = come; because = perché; so = così; by = da`
