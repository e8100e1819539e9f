
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
