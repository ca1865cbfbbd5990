package compile
import ("testing";"strings";"fmt";"time")
func TestZZ(t *testing.T){
 mb:=3<<20-200
 gen:=func(pre string, f func(i int)string)string{var b strings.Builder;b.WriteString(pre);for i:=0;b.Len()<mb-200;i++{b.WriteString(f(i))};return b.String()}
 cases:=map[string]string{
 "nulls":gen("pipeline:\n",func(i int)string{return fmt.Sprintf("  k%d:\n",i)}),
 "unknown":gen("pipeline:\n",func(i int)string{return fmt.Sprintf("  stagez%d: 1\n",i)}),
 "dups":gen("pipeline:\n",func(i int)string{return "  a: 1\n"}),
 "nullstokens":"pipeline:\n"+strings.Repeat("  k:\n",1990)+gen("  x: [",func(i int)string{return "x,"})[:1_150_000]+"x]\n",
 "nullstokens2":"pipeline:\n"+"  x: ["+strings.Repeat("x,",290_000)+"x]\n"+strings.Repeat("  k:\n",1990),
 "stages":gen("pipeline:\n  stages:\n",func(i int)string{return fmt.Sprintf("  - stage: {identifier: s%d, name: x, type: Custom}\n",i)}),
 "vars":gen("pipeline:\n  variables:\n",func(i int)string{return fmt.Sprintf("  - {name: s%d, type: String, value: <+input>}\n",i)}),
 "brackets":"a: "+strings.Repeat("[",mb),
 "commas":"a: ["+strings.Repeat(",",mb),
 "dash":strings.Repeat("- ",mb/2),
 "dashnl":strings.Repeat("-\n",mb/2),
 "colon":strings.Repeat("a: ",mb/3),
 "quotes":strings.Repeat("'a' ",mb/4),
 "amp":strings.Repeat("&a ",mb/3),
 "tag":strings.Repeat("!a ",mb/3),
 "qmark":strings.Repeat("? ",mb/2),
 "literalblank":"a: |\n"+strings.Repeat(" x\n"+strings.Repeat("\n",999),3000),
 "exprs":"pipeline:\n  variables:\n  - {name: a, type: String, value: \""+strings.Repeat("<+a.b> ",37000)+"\"}\n",
 "badexprs":gen("pipeline: {variables: [",func(i int)string{return fmt.Sprintf("{name: s%d, type: String, value: \"<+a\"},",i)})+"]}",
 "crlf":strings.Repeat("a\r",mb/2),
 }
 for k,v:=range cases{ fmt.Printf("%s ",k); s:=time.Now(); p,d:=Compile(Source{File:"x",Data:[]byte(v)},Options{}); e:=""; if len(d)>0{e=d[0].String()}; if len(e)>100{e=e[:100]}; fmt.Printf("%-14s %8d bytes %v plan=%v diags=%d %s\n",k,len(v),time.Since(s).Round(time.Millisecond),p!=nil,len(d),e)}
}
