"""Stylesheet, script and content policy of the picture's page.

Law: nothing here is made of anybody's words, and nothing is fetched: no address stands in it. The page's policy allows
these two texts by their hashes and nothing else, so a name that holds a script is a name.
"""

import base64
import hashlib
from typing import Final

_WIDEST: Final = 40
_LEGIBLE: Final = 0.85
"""How small a picture may become to fit a window; below that it is scrolled."""

STYLE: Final = """
:root{color-scheme:light dark;--page:#f6f5f2;--card:#ffffff;--ink:#1d2127;--soft:#5b6470;--rule:#dcd9d2;--line:#8a919c;
--person:#2f6fbf;--project:#c8571b;--tool:#8f6b00;--place:#23854f;--organisation:#7d4fb8;--event:#c03270;
--concept:#0f8291;--other:#68707c}
@media (prefers-color-scheme:dark){:root{--page:#15181d;--card:#1f242b;--ink:#eceef1;--soft:#a4adb9;--rule:#343b45;
--line:#7b8592;--person:#79aef2;--project:#f39a66;--tool:#d9b53c;--place:#65c78f;--organisation:#b896ee;
--event:#f284b4;--concept:#55c7d6;--other:#a2abb8}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
"Noto Sans","Helvetica Neue",Arial,sans-serif}
main,header,footer{max-width:1560px;margin:0 auto;padding:0 24px}
header{padding-top:26px}h1{font-size:1.75rem;line-height:1.2;margin:0}h2{font-size:1.15rem;margin:34px 0 4px}
h3{font-size:1.05rem;margin:0 0 2px}p{margin:4px 0}.soft,time,.why{color:var(--soft)}
.told{margin:10px 0 0;max-width:70em}
.notice{border-left:3px solid var(--project);padding-left:10px}
.stage{display:grid;gap:18px;margin-top:16px;grid-template-columns:minmax(0,1fr)}
.js .stage{grid-template-columns:minmax(0,1fr) 340px}
.scroll{overflow:auto;border:1px solid var(--rule);border-radius:14px;background:var(--page)}
svg.net{display:block;margin:auto;max-width:100%;height:auto}.scroll{max-height:82vh}
#panel{display:none;border:1px solid var(--rule);border-radius:14px;background:var(--card);padding:16px 18px;
overflow:auto;max-height:82vh;position:sticky;top:16px;align-self:start}
.js #panel{display:block}
.zoom{display:none;gap:6px;margin:8px 0 0}.js .zoom{display:flex}.zoom button{font:inherit;color:inherit;min-width:36px;
background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:2px 12px;cursor:pointer}
.zoom button:focus-visible{outline:2px solid var(--ink)}
.legend{display:flex;flex-wrap:wrap;gap:6px 18px;list-style:none;margin:12px 0 0;padding:0;font-size:.9rem;
color:var(--soft)}.legend li{display:flex;align-items:center;gap:7px}.legend svg,h3 svg{flex:none}
.keys{font-size:.9rem;display:none}.js .keys{display:block}
.person{--kind:var(--person)}.project{--kind:var(--project)}.tool{--kind:var(--tool)}.place{--kind:var(--place)}
.organisation{--kind:var(--organisation)}.event{--kind:var(--event)}.concept{--kind:var(--concept)}
.other{--kind:var(--other)}
.shape{fill:var(--kind);stroke:var(--kind);stroke-width:1.5;stroke-linejoin:round}
.other .shape{fill:none;stroke-width:3}
.card,.card:focus-visible{cursor:pointer;outline:none}.card .base{fill:var(--card)}
.card .rim{fill:var(--kind);fill-opacity:.07;stroke:var(--kind);stroke-width:1.4}
.card.focus .rim{stroke-width:3;fill-opacity:.16}
.card:focus-visible .rim,.card.on .rim{stroke-width:4;fill-opacity:.22}
.net text{fill:var(--ink);font-family:inherit}.net .small{fill:var(--soft)}
.net .name{font-weight:600}
.line path{fill:none;stroke:var(--line);stroke-width:1.7}.line .tip{fill:var(--line);stroke:none}
.line text{fill:var(--ink);paint-order:stroke;stroke:var(--page);stroke-width:5px;stroke-linejoin:round}
.line.ended path{stroke-dasharray:7 5}.line.ended text{fill:var(--soft)}
.line.thread path{stroke-dasharray:1.5 5;stroke-linecap:round;opacity:.85}
.line.thread.more path{stroke-width:2.6}.line.thread.most path{stroke-width:3.6}
.line .crowded{display:none}.line.on .crowded{display:inline}
.net .card,.net .line{transition:opacity .12s}.net.some .card,.net.some .line{opacity:.2}
.net.some .on,.net.some .near{opacity:1}.line.on path{stroke:var(--ink)}.line.on .tip{fill:var(--ink)}
.line.on.thread path,.line.on.ended path{stroke:var(--soft)}
.list{display:grid;gap:14px;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));margin-top:12px}
.entry{border:1px solid var(--rule);border-radius:12px;background:var(--card);padding:14px 18px;overflow-wrap:anywhere}
.entry:target{outline:3px solid var(--kind)}.entry h3{display:flex;gap:9px;align-items:center}
.entry ul,#panel ul{margin:8px 0 0;padding:0;list-style:none}.entry li,#panel li{margin:5px 0}
.entry .said li,#panel .said li{border-left:2px solid var(--rule);padding-left:10px;margin:8px 0}
time{font-size:.85rem;font-variant-numeric:tabular-nums;display:block}.why{font-size:.85rem}
#panel h3{display:flex;gap:9px;align-items:center;font-size:1.15rem;overflow-wrap:anywhere}
#panel{overflow-wrap:anywhere}
a{color:inherit;text-decoration-color:var(--soft);text-underline-offset:2px}
a:focus-visible{outline:2px solid var(--ink);outline-offset:2px}
footer{margin-top:30px;padding-bottom:34px;font-size:.9rem;color:var(--soft)}
@media (max-width:1020px){.js .stage{grid-template-columns:minmax(0,1fr)}#panel{position:static;max-height:none}}
@media (max-width:700px){main,header,footer{padding:0 14px}}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
@media print{#panel,.keys{display:none!important}.js .stage{grid-template-columns:1fr}
.scroll{border:0;max-height:none;overflow:visible}.zoom{display:none!important}
svg.net{max-width:100%!important;min-width:0!important;width:auto!important}.entry{break-inside:avoid}}
""" + "".join(f".w{each}{{min-width:{each}00px}}" for each in range(1, _WIDEST + 1))
SCRIPT: Final = """
(function(){
"use strict";
var doc=document,net=doc.querySelector("svg.net"),panel=doc.getElementById("panel");
if(!net||!panel){return;}
doc.documentElement.classList.add("js");
var cards=[].slice.call(net.querySelectorAll(".card")),lines=[].slice.call(net.querySelectorAll(".line"));
var pinned=-1,shown=-2;
function tell(n){
  var entry=doc.getElementById("e"+(n<0?0:n));
  panel.textContent="";
  [].forEach.call(entry.childNodes,function(node){panel.appendChild(node.cloneNode(true));});
  panel.className=entry.className.replace("entry","");
  panel.scrollTop=0;
}
function show(n){
  if(n===shown){return;}
  shown=n;
  var near={};
  lines.forEach(function(line){
    var a=+line.dataset.a,b=+line.dataset.b,on=n>=0&&(a===n||b===n);
    line.classList.toggle("on",on);
    if(on){near[a]=near[b]=true;}
  });
  cards.forEach(function(card,i){card.classList.toggle("on",i===n);card.classList.toggle("near",!!near[i]);});
  net.classList.toggle("some",n>=0);
  tell(n);
}
function kept(){var at=cards.indexOf(doc.activeElement);return at>=0?at:pinned;}
function nearest(from,dx,dy){
  var x=+cards[from].dataset.x,y=+cards[from].dataset.y,best=-1,least=Infinity;
  cards.forEach(function(card,i){
    var ax=card.dataset.x-x,ay=card.dataset.y-y,ahead=ax*dx+ay*dy,aside=Math.abs(ax*dy)+Math.abs(ay*dx);
    if(i!==from&&ahead>0&&ahead+2*aside<least){least=ahead+2*aside;best=i;}
  });
  return best;
}
var ways={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]};
cards.forEach(function(card,i){
  card.addEventListener("mouseenter",function(){show(i);});
  card.addEventListener("mouseleave",function(){show(kept());});
  card.addEventListener("focus",function(){show(i);});
  card.addEventListener("blur",function(){show(pinned);});
  card.addEventListener("click",function(event){
    if(event.detail===0){return;}
    event.preventDefault();
    pinned=pinned===i?-1:i;
    show(i);
  });
  card.addEventListener("keydown",function(event){
    var way=ways[event.key],to=way?nearest(i,way[0],way[1]):-1;
    if(event.key==="Escape"){pinned=-1;card.blur();show(-1);}
    if(way){event.preventDefault();}
    if(to>=0){cards[to].focus();}
  });
});
net.addEventListener("click",function(event){if(event.target===net){pinned=-1;show(-1);}});
var box=net.parentNode;
function centre(){
  var at=cards.indexOf(doc.activeElement),card=cards[at>=0?at:pinned>=0?pinned:0],size=net.viewBox.baseVal;
  box.scrollLeft=card.dataset.x/size.width*box.scrollWidth-box.clientWidth/2;
  box.scrollTop=card.dataset.y/size.height*box.scrollHeight-box.clientHeight/2;
}
function zoom(width){net.style.minWidth="0";net.style.maxWidth="none";net.style.width=width+"px";centre();}
[].forEach.call(doc.querySelectorAll(".zoom button"),function(button){
  button.addEventListener("click",function(){
    var factor=+button.dataset.by,size=net.viewBox.baseVal,now=net.getBoundingClientRect().width;
    zoom(factor?now*factor:Math.min(box.clientWidth,box.clientHeight*size.width/size.height,size.width));
  });
});
centre();
show(-1);
})();
"""


def least_width(width: float) -> str:
    """Return the class that keeps a picture of that width legible."""
    return f"w{min(max(int(width * _LEGIBLE / 100), 1), _WIDEST)}"


def policy() -> str:
    """Return the page's content security policy: these two texts, and nothing from anywhere."""
    return (
        f"default-src 'none'; style-src {_allowed(STYLE)}; script-src {_allowed(SCRIPT)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _allowed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
