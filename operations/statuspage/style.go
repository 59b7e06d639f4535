package statuspage

import (
	"crypto/sha256"
	"encoding/base64"
)

// style is the only one of the page: pictures have attributes, not styles.
const style = `
:root{color-scheme:light dark;--text:#1b1f23;--soft:#57606a;--back:#fff;--panel:#f6f8fa;--rule:#d8dee4;--good:#116329;--note:#7d4e00;--bad:#b3201f;--line:#0b62c4}
@media(prefers-color-scheme:dark){:root{--text:#e4e8ec;--soft:#9da7b1;--back:#0f1318;--panel:#181e25;--rule:#2f3943;--good:#5fd07a;--note:#e3b341;--bad:#ff8b84;--line:#6cb2ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:78rem;padding:1rem 1.25rem 3rem;font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;color:var(--text);background:var(--back)}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.15rem 1.25rem;border-bottom:1px solid var(--rule);padding-bottom:.6rem}
header>*{min-width:0;overflow-wrap:anywhere}
h1{font-size:1.35rem;margin:0}
nav{display:flex;flex-wrap:wrap;gap:.15rem 1.25rem;flex-basis:100%}
h2{font-size:1.02rem;margin:1.7rem 0 .45rem}
h2 small{font-weight:400;color:var(--soft)}
p{margin:.3rem 0}
a{color:var(--line)}
.soft{color:var(--soft)}
.good{color:var(--good)}.note{color:var(--note)}.bad{color:var(--bad)}
.good,.note,.bad{font-weight:600}
.key{overflow-wrap:anywhere}
td.name{overflow-wrap:break-word}
td.of{overflow-wrap:anywhere;min-width:9rem}
@media(max-width:72rem){td.name{overflow-wrap:anywhere;min-width:9rem}}
td.key,span.key,pre,code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:.9em}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.32rem .7rem .32rem 0;border-bottom:1px solid var(--rule)}
th{font-weight:600;color:var(--soft);font-size:.86rem;white-space:nowrap}
th.n,td.n{text-align:right}
td.n,td.t{white-space:nowrap}
.picture{display:block;width:8.5rem;height:1.55rem;background:var(--panel);border-radius:3px}
.line{fill:none;stroke:var(--line);stroke-width:1.4}
ul.problems{list-style:none;margin:.3rem 0;padding:0}
.problems li{border-left:3px solid var(--note);background:var(--panel);padding:.45rem .75rem;margin:.4rem 0;overflow-wrap:anywhere}
.problems .bad-edge{border-color:var(--bad)}
.problems p{margin:.1rem 0}
details{border-bottom:1px solid var(--rule);padding:.3rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:minmax(8rem,13rem) 1fr;gap:.15rem .9rem;margin:.4rem 0 .6rem 1.1rem}
dt,dd{overflow-wrap:anywhere}
dt{color:var(--soft)}dd{margin:0;white-space:pre-wrap}
form{display:flex;flex-wrap:wrap;gap:.5rem;margin:.3rem 0 .6rem}
input,button{font:inherit;color:inherit;background:var(--back);border:1px solid var(--soft);border-radius:4px;padding:.28rem .6rem}
input{flex:1 1 14rem;max-width:32rem;min-width:0}
button{background:var(--panel);cursor:pointer}
pre{background:var(--panel);padding:.6rem;overflow:auto;max-height:24rem;margin:.3rem 0}
:focus-visible{outline:2px solid var(--line);outline-offset:1px}
@media(max-width:60rem){
body{padding:.8rem .8rem 2rem;overflow-wrap:anywhere}
table,tbody,tr,td{display:block}
thead{position:absolute;clip-path:inset(50%);height:1px;width:1px;overflow:hidden;white-space:nowrap}
tr{border-bottom:1px solid var(--rule);padding:.45rem 0}
td,td.n,td.t{display:flex;justify-content:space-between;gap:1rem;text-align:right;border:0;padding:.1rem 0;white-space:normal}
td::before{content:attr(data-label);color:var(--soft);text-align:left;flex:none}
td.name,td.of{min-width:0}
td.name{display:block;text-align:left;font-weight:600}
td.name::before{content:none}
td>span,td>div{min-width:0;overflow-wrap:anywhere}
dl{grid-template-columns:1fr;margin-left:0}dd{margin-bottom:.25rem}
}
`

// policy is the Content-Security-Policy: this style, an empty icon, and nothing else.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}()
