package engine
import ("testing";"os";"context")
func TestZZ(t *testing.T){
 e:=openEngine(t)
 b,_:=os.ReadFile(os.Getenv("ZZ"))
 o := DefaultOptions()
 _,err:=e.Compile(context.Background(), Script{Name:"zz",Text:string(b),Options:o,Level:1})
 if err!=nil { s:=err.Error(); t.Log(s[:min(200,len(s))]) }
}
