package yamldoc
import ("testing";"strings";"fmt";"time")
func TestZZ(t *testing.T){
 for _,n:=range []int{5000,10000,20000}{
 var b strings.Builder; for i:=0;i<n;i++{fmt.Fprintf(&b,"  k%d: 1\n",i)}
 s:=time.Now(); Parse("x",[]byte("a:\n"+b.String())); fmt.Println(n,time.Since(s))}
}
