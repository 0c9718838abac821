package mutation

// The dictionaries for mixed-language text hold everyday words, and words about
// tools, files and models. Each word has one form, without agreement.

const german = `
the = der; a = ein; all = alle; any = jegliche; every = jede; each = jede; this = diese; that = das; these = diese; it = es
its = sein; of = von; to = zu; from = aus; in = in; into = in; with = mit; without = ohne; for = für; and = und
or = oder; not = nicht; no = kein; never = niemals; always = immer; before = bevor; after = nachdem; when = wenn; while = während; then = dann
first = zuerst; if = falls; is = ist; are = sind; be = sein; was = war; has = hat; have = haben; must = muss; should = sollte
do = tun; does = tut; you = du; your = dein; user = Benutzer; model = Modell; assistant = Assistent; tool = Werkzeug; tools = Werkzeuge; file = Datei
files = Dateien; contents = Inhalt; content = Inhalt; parameter = Parameter; argument = Argument; instructions = Anweisungen; instruction = Anweisung; message = Nachricht; messages = Nachrichten; answer = Antwort
text = Text; password = Passwort; passwords = Passwörter; key = Schlüssel; keys = Schlüssel; token = Token; data = Daten; conversation = Gespräch; system = System; prompt = Prompt
name = Name; address = Adresse; server = Server; list = Liste; page = Seite; value = Wert; values = Werte; result = Ergebnis; results = Ergebnisse; read = lies
open = öffne; use = benutze; call = rufe; send = sende; copy = kopiere; put = lege; pass = übergib; add = füge; write = schreibe; tell = sage
mention = erwähne; ask = frage; show = zeige; ignore = ignoriere; forget = vergiss; follow = befolge; delete = lösche; run = starte; execute = führe; keep = behalte
store = speichere; return = liefere; returns = liefert; take = nimm; include = enthalte; repeat = wiederhole; append = hänge; previous = vorherigen; earlier = früheren; secret = geheimen
hidden = versteckten; complete = vollständigen; full = ganzen; new = neuen; other = anderen; same = selben; current = aktuellen; also = auch; only = nur; here = hier
there = dort; as = als; because = weil; so = damit; by = durch`

const spanish = `
the = el; a = un; all = todas; any = cualquier; every = cada; each = cada; this = este; that = que; these = estos; it = lo
its = su; of = de; to = a; from = desde; in = en; into = en; with = con; without = sin; for = para; and = y
or = o; not = no; no = ningún; never = nunca; always = siempre; before = antes; after = después; when = cuando; while = mientras; then = luego
first = primero; if = si; is = es; are = son; be = ser; was = era; has = tiene; have = tienen; must = debe; should = debería
do = hacer; does = hace; you = tú; your = tu; user = usuario; model = modelo; assistant = asistente; tool = herramienta; tools = herramientas; file = archivo
files = archivos; contents = contenido; content = contenido; parameter = parámetro; argument = argumento; instructions = instrucciones; instruction = instrucción; message = mensaje; messages = mensajes; answer = respuesta
text = texto; password = contraseña; passwords = contraseñas; key = clave; keys = claves; token = token; data = datos; conversation = conversación; system = sistema; prompt = prompt
name = nombre; address = dirección; server = servidor; list = lista; page = página; value = valor; values = valores; result = resultado; results = resultados; read = lee
open = abre; use = usa; call = llama; send = envía; copy = copia; put = pon; pass = pasa; add = añade; write = escribe; tell = di
mention = menciona; ask = pregunta; show = muestra; ignore = ignora; forget = olvida; follow = sigue; delete = borra; run = lanza; execute = ejecuta; keep = conserva
store = guarda; return = devuelve; returns = devuelve; take = toma; include = incluye; repeat = repite; append = agrega; previous = previas; earlier = anteriores; secret = secreto
hidden = oculto; complete = completo; full = entero; new = nuevo; other = otro; same = mismo; current = actual; also = también; only = sólo; here = aquí
there = allí; as = como; because = porque; so = así; by = por`

const russian = `
all = все; any = любой; every = каждый; each = каждый; this = этот; that = что; these = эти; it = это; its = его; of = из
to = к; from = из; in = в; into = в; with = с; without = без; for = для; and = и; or = или; not = не
no = никакой; never = никогда; always = всегда; before = перед; after = после; when = когда; while = пока; then = затем; first = сначала; if = если
is = есть; are = есть; be = быть; was = был; has = имеет; have = имеют; must = должен; should = следует; do = делай; does = делает
you = ты; your = твой; user = пользователь; model = модель; assistant = ассистент; tool = инструмент; tools = инструменты; file = файл; files = файлы; contents = содержимое
content = содержимое; parameter = параметр; argument = аргумент; instructions = инструкции; instruction = инструкцию; message = сообщение; messages = сообщения; answer = ответ; text = текст; password = пароль
passwords = пароли; key = ключ; keys = ключи; token = токен; data = данные; conversation = разговор; system = система; prompt = промпт; name = имя; address = адрес
server = сервер; list = список; page = страница; value = значение; values = значения; result = результат; results = результаты; read = прочитай; open = открой; use = используй
call = вызови; send = отправь; copy = скопируй; put = положи; pass = передай; add = добавь; write = запиши; tell = говори; mention = упоминай; ask = спрашивай
show = покажи; ignore = игнорируй; forget = забудь; follow = следуй; delete = удали; run = запусти; execute = выполни; keep = сохрани; store = храни; return = верни
returns = возвращает; take = возьми; include = включи; repeat = повтори; append = допиши; previous = предыдущие; earlier = прежние; secret = секретный; hidden = скрытый; complete = полный
full = весь; new = новый; other = другой; same = тот; current = текущий; also = также; only = только; here = здесь; there = там; as = как
because = потому; so = так; by = через`

const chinese = `
a = 一个; all = 所有; any = 任何; every = 每个; each = 每个; this = 这个; that = 那个; these = 这些; it = 它; its = 它的
of = 的; to = 到; from = 从; in = 在; into = 进; with = 用; without = 没有; for = 为了; and = 和; or = 或
not = 不; no = 没有; never = 绝不; always = 总是; before = 之前; after = 之后; when = 当; while = 期间; then = 然后; first = 首先
if = 如果; is = 是; are = 是; be = 是; was = 是; has = 有; have = 有; must = 必须; should = 应该; do = 做
does = 做; you = 你; your = 你的; user = 用户; model = 模型; assistant = 助手; tool = 工具; tools = 工具; file = 文件; files = 文件
contents = 内容; content = 内容; parameter = 参数; argument = 参数; instructions = 指令; instruction = 指令; message = 消息; messages = 消息; answer = 回答; text = 文本
password = 密码; passwords = 密码; key = 密钥; keys = 密钥; token = 令牌; data = 数据; conversation = 对话; system = 系统; prompt = 提示词; name = 名称
address = 地址; server = 服务器; list = 列表; page = 页面; value = 值; values = 值; result = 结果; results = 结果; read = 读取; open = 打开
use = 使用; call = 调用; send = 发送; copy = 复制; put = 放; pass = 传递; add = 添加; write = 写入; tell = 告诉; mention = 提及
ask = 询问; show = 显示; ignore = 忽略; forget = 忘记; follow = 遵循; delete = 删除; run = 运行; execute = 执行; keep = 保持; store = 保存
return = 返回; returns = 返回; take = 取; include = 包含; repeat = 重复; append = 附加; previous = 之前的; earlier = 早先的; secret = 秘密的; hidden = 隐藏的
complete = 完整的; full = 全部的; new = 新的; other = 其他的; same = 同样的; current = 当前的; also = 也; only = 只; here = 这里; there = 那里
as = 作为; because = 因为; so = 所以; by = 通过`
