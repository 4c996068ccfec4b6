package old

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"dscope.dev/engine/trace"
)

// The types that lines have beside those of engine/trace.
type (
	// A record is one line after the first. Exactly one of its parts is set, beside At.
	record struct {
		Providers []trace.ProviderInfo
		Probes    []trace.Probe
		Info      *trace.ProbeInfo
		Run       *begin
		Origins   [][]trace.Origin // of aggregations that follow, which give their numbers
		At        int64            // ns since the run began
		Snapshot  *snapshot
		Events    []trace.Event
		Status    *status
		End       bool
	}
	begin struct {
		Script string
		Start  time.Time
	}
	snapshot struct {
		trace.Snapshot
		Told *examples
	}
	status struct {
		trace.Status
		Dear *trace.DearError
	}

	// Examples of one snapshot have few stacks and probes among many. So each of them is
	// written once, and examples give their numbers, from 1; 0 is none.
	examples struct {
		List   []example
		Stacks [][]trace.Frame
		Probes []trace.Probe
	}
	example struct {
		trace.Example
		Number int // of its probe
		Known  []fact
	}
	fact struct {
		trace.Value
		Stack int
	}
)

// spelled are the names that the fields of each type have in a line.
var spelled = sync.OnceValue(func() map[reflect.Type]map[string]string {
	out := map[reflect.Type]map[string]string{}
	for typ, names := range map[reflect.Type]string{
		reflect.TypeFor[record]():             "providers:Providers probes:Probes info:Info run:Run origins:Origins at:At snap:Snapshot events:Events status:Status end:End",
		reflect.TypeFor[begin]():              "script:Script start:Start",
		reflect.TypeFor[snapshot]():           "q:Seq t:Time e:Elapsed d:Drops a:Aggs x:Told",
		reflect.TypeFor[status]():             "s:State e:Elapsed n:Events r:Rate p:Probes d:Drops x:Exit xd:Exited err:Err h:Hooks m:Missing c:Cost a:Dear b:Before",
		reflect.TypeFor[examples]():           "l:List s:Stacks p:Probes",
		reflect.TypeFor[example]():            "a:Agg o:Origin t:Time p:Number c:CPU v:Value w:Weight f:Known",
		reflect.TypeFor[fact]():               "k:Kind z:Size i:Int s:Str n:Stack",
		reflect.TypeFor[trace.ProviderInfo](): "n:Name h:Help u:Unavailable p:Processes",
		reflect.TypeFor[trace.Probe]():        "i:ID p:Provider m:Module f:Function n:Name",
		reflect.TypeFor[trace.Arg]():          "n:Name t:Type",
		reflect.TypeFor[trace.ProbeInfo]():    "p:Probe a:Args h:Help k:Hook u:Unavailable",
		reflect.TypeFor[trace.Frame]():        "a:Addr m:Module s:Symbol o:Offset r:Raw i:Inlined y:Script",
		reflect.TypeFor[trace.Value]():        "k:Kind z:Size i:Int s:Str f:Frames",
		reflect.TypeFor[trace.Bucket]():       "t:Label l:Low h:High c:Count",
		reflect.TypeFor[trace.Row]():          "id:ID k:Keys v:Value c:Count b:Buckets p:PerCPU",
		reflect.TypeFor[trace.Share]():        "c:CPU v:Value b:Buckets",
		reflect.TypeFor[trace.Table]():        "n:Name f:Func t:KeyTypes p:Params d:Normal sk:Sorted.ByKey sp:Sorted.KeyPos sr:Sorted.Rev r:Rows o:Origins",
		reflect.TypeFor[trace.Origin]():       "c:Clause f:File l:Line a:From z:To k:Keys g:Arg d:Dims",
		reflect.TypeFor[trace.Dimension]():    "n:Name e:Expr k:Key",
		reflect.TypeFor[trace.Item]():         "k:Kind t:Text v:Value g:Rare.Args a:Rare.Tables n:Rare.Names o:Rare.Output p:Rare.Packet",
		reflect.TypeFor[trace.Packet]():       "t:Time p:Proto n:Length d:Data",
		reflect.TypeFor[trace.Drop]():         "k:Kind c:CPU n:Count w:Where f:Cure",
		reflect.TypeFor[trace.Fault]():        "k:Kind a:Addr e:EPID n:Action l:Line p:PC f:File",
		reflect.TypeFor[trace.Event]():        "k:Kind t:Time c:CPU p:Probe l:Clause i:Items d:Drop f:Fault x:Exit",
		reflect.TypeFor[trace.Estimate]():     "c:Cost n:CPUs a:Least l:Limit",
		reflect.TypeFor[trace.DearError]():    "s:Share l:Limit",
		reflect.TypeFor[trace.Cost]():         "w:Window s:Share h:Hits c:Clauses",
		reflect.TypeFor[trace.ClauseCost]():   "c:Clause h:Hits n:Nanos s:Share",
	} {
		out[typ] = map[string]string{}
		for _, pair := range strings.Fields(names) {
			short, long, _ := strings.Cut(pair, ":")
			out[typ][short] = long
		}
	}
	return out
})

// into gives a snapshot its examples. They share stacks among those that have the same.
func (x *examples) into(s *trace.Snapshot) error {
	if x == nil {
		return nil
	}
	for i := range x.List {
		e := x.List[i].Example
		switch n := x.List[i].Number; {
		case n < 0 || n > len(x.Probes):
			return fmt.Errorf("an example of the unknown probe %d", n)
		case n > 0:
			e.Probe = x.Probes[n-1]
		}
		for j := range x.List[i].Known {
			f := &x.List[i].Known[j]
			switch n := f.Stack; {
			case n < 0 || n > len(x.Stacks):
				return fmt.Errorf("an example with the unknown stack %d", n)
			case n > 0:
				f.Frames = x.Stacks[n-1]
			}
			e.Facts = append(e.Facts, f.Value)
		}
		s.Examples = append(s.Examples, e)
	}
	return nil
}
