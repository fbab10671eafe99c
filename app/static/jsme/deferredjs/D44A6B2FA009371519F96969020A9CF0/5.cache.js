$wnd.jsme.runAsyncCallback5('x(731,619,sn);_.be=function(){this.a.F&&(v2(this.a.F),this.a.F=null);0==this.a.r.w&&(this.a.F=new A2(2,this.a))};T(SZ)(5);\n//@ sourceURL=5.js\n')
