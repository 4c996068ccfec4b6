package diag

// A Code is the tag of a complaint, spelled as DTrace spells it.
type Code string

// The tags of names, probes and pragmas. Tags that DTrace has keep its meaning;
// those that it has not are at the end.
const (
	Syntax        Code = "D_SYNTAX"          // the text does not follow D's grammar
	ProgEmpty     Code = "D_EMPTY"           // a script without a clause
	UnknownIdent  Code = "D_IDENT_UNDEF"     // a name that nothing declares
	BadIdent      Code = "D_IDENT_BADREF"    // a name used as what it is not
	UnknownVar    Code = "D_VAR_UNDEF"       // self->x or this->x that nothing has assigned
	UnknownFunc   Code = "D_FUNC_UNDEF"      // a function that D does not have
	FuncIdent     Code = "D_FUNC_IDKIND"     // something called that is not a function
	FuncName      Code = "D_FUNC_IDENT"      // something called that is no name
	NoSymType     Code = "D_SYM_NOTYPES"     // a kernel symbol without a type
	ProbeZero     Code = "D_PDESC_ZERO"      // a probe description that matches no probe
	ProbeInvalid  Code = "D_PDESC_INVAL"     // a probe description that cannot be read
	ProcPid       Code = "D_PROC_BADPID"     // a process that cannot be traced
	ProcName      Code = "D_PROC_NAME"       // a probe that the pid provider does not have
	ProcLib       Code = "D_PROC_LIB"        // a module of a process that cannot be meant
	ProcFunc      Code = "D_PROC_FUNC"       // a function that a process's module does not have
	ProcOff       Code = "D_PROC_OFF"        // an offset at which no instruction begins
	ProcGrab      Code = "D_PROC_GRAB"       // a process that is not there
	ProcCreate    Code = "D_PROC_CREATEFAIL" // more probes of a process than can be had
	PredScalar    Code = "D_PRED_SCALAR"     // a predicate that is no scalar
	MacroUndef    Code = "D_MACRO_UNDEF"     // $name or $n that has no value
	MacroOverflow Code = "D_MACRO_OFLOW"     // $n whose number does not fit
	MacroUnused   Code = "D_MACRO_UNUSED"    // an argument that the script never reads
	ArgsNone      Code = "D_ARGS_NONE"       // args[] outside of a clause
	ArgsMulti     Code = "D_ARGS_MULTI"      // args[] where the probes do not agree
	ArgsIndex     Code = "D_ARGS_IDX"        // args[n] beyond the last
	ArgsType      Code = "D_ARGS_TYPE"       // args[n] whose type is not known
	PragmaInvalid Code = "D_PRAGMA_INVAL"    // a #pragma that D does not know
	PragmaMalform Code = "D_PRAGMA_MALFORM"  // a #pragma that cannot be read
	PragmaOption  Code = "D_PRAGMA_OPTSET"   // an option that cannot be set so
	PragmaDepend  Code = "D_PRAGMA_DEPEND"   // a #pragma D depends_on that is not met
	PragmaError   Code = "D_PRAGERR"         // what #pragma D error says
	ControlLine   Code = "D_PRAGCTL_INVAL"   // a line that begins with # and that D does not know
)

// The tags of operators and constants.
const (
	IntOverflow  Code = "D_INT_OFLOW"       // an integer that does not fit
	IntDigit     Code = "D_INT_DIGIT"       // a digit that its base does not have
	StrNewline   Code = "D_STR_NL"          // a string that does not end on its line
	CharNewline  Code = "D_CHR_NL"          // a character constant that does not end
	CharNull     Code = "D_CHR_NULL"        // '' holds nothing
	CharOverflow Code = "D_CHR_OFLOW"       // a character constant of more than eight characters
	DivZero      Code = "D_DIV_ZERO"        // division by the constant zero
	OpInt        Code = "D_OP_INT"          // an operand that is not an integer
	OpArith      Code = "D_OP_ARITH"        // an operand that is not arithmetic
	OpScalar     Code = "D_OP_SCALAR"       // an operand that is not a scalar
	OpPtr        Code = "D_OP_PTR"          // an operand of -> that is not a pointer
	OpSou        Code = "D_OP_SOU"          // an operand that is not a struct or union
	OpIncompat   Code = "D_OP_INCOMPAT"     // operands whose types do not go together
	OpLval       Code = "D_OP_LVAL"         // something that cannot be assigned
	OpWrite      Code = "D_OP_WRITE"        // something that cannot be written
	OpArrFun     Code = "D_OP_ARRFUN"       // an array or function assigned as a whole
	OpAct        Code = "D_OP_ACT"          // an action used as a value
	OpVFPtr      Code = "D_OP_VFPTR"        // arithmetic on a pointer to what has no size
	OpIncomplete Code = "D_OP_INCOMPLETE"   // a member of a type that is not known
	TypeMember   Code = "D_TYPE_MEMBER"     // a member that a struct does not have
	DerefFunc    Code = "D_DEREF_FUNC"      // a function followed as a pointer
	DerefVoid    Code = "D_DEREF_VOID"      // a void pointer followed
	DerefNonPtr  Code = "D_DEREF_NONPTR"    // a value that is no pointer followed
	AddrofVar    Code = "D_ADDROF_VAR"      // the address of a variable of D
	AddrofLval   Code = "D_ADDROF_LVAL"     // the address of a computed value
	AddrofBits   Code = "D_ADDROF_BITFIELD" // the address of a bit-field
	ArrBadRef    Code = "D_ARR_BADREF"      // an array used without an index, or with a tuple
	ArrBounds    Code = "D_ARR_BOUNDS"      // a constant index outside of its array
	TupleNoArray Code = "D_ARR_LOCAL"       // an associative array in this->
	KeyType      Code = "D_KEY_TYPE"        // a key that cannot be one
	CastInval    Code = "D_CAST_INVAL"      // a cast that has no meaning
	StringofType Code = "D_STRINGOF_TYPE"   // stringof what is no string
	SizeofType   Code = "D_SIZEOF_TYPE"     // sizeof of what has no size
	SizeofBits   Code = "D_SIZEOF_BITFIELD" // sizeof of a bit-field
	OffsetofType Code = "D_OFFSETOF_TYPE"   // offsetof of what has no members
	OffsetofBits Code = "D_OFFSETOF_BITFIELD"
)

// The tags of declarations.
const (
	TypeSystem     Code = "D_UNKNOWN"            // what the rules of C's types refuse and no other tag names
	UnknownType    Code = "D_TYPE_ERR"           // a struct, union or enum that nothing declares
	DeclClass      Code = "D_DECL_CLASS"         // more than one storage class
	DeclBadClass   Code = "D_DECL_BADCLASS"      // a storage class that D does not have
	DeclLong       Code = "D_DECL_LONGINT"       // long with what is no number
	DeclCombo      Code = "D_DECL_COMBO"         // words of a type that do not go together
	DeclChar       Code = "D_DECL_CHARATTR"      // a short or long char
	DeclSign       Code = "D_DECL_SIGNINT"       // signed and unsigned at once
	DeclVoidAttr   Code = "D_DECL_VOIDATTR"      // void with other words
	DeclRedef      Code = "D_DECL_IDRED"         // a name declared twice
	DeclTypeRedef  Code = "D_DECL_TYPERED"       // a struct, union or enum defined twice
	DeclVoid       Code = "D_DECL_VOIDOBJ"       // an object of type void
	DeclUseless    Code = "D_DECL_USELESS"       // a declaration of nothing
	DeclIncomplete Code = "D_DECL_INCOMPLETE"    // an object of a type that is not known
	DeclDynamic    Code = "D_DECL_DYNOBJ"        // an associative array inside of another type
	DeclProtoType  Code = "D_DECL_PROTO_TYPE"    // a key or parameter of a type that it cannot have
	DeclScope      Code = "D_DECL_SCOPE"         // a back-quote in the name that a declaration gives
	DeclVoidName   Code = "D_DECL_PROTO_NAME"    // a void parameter with a name
	DeclVoidParam  Code = "D_DECL_PROTO_VOID"    // void among other parameters
	DeclParamClass Code = "D_DECL_PARMCLASS"     // a parameter with a storage class
	DeclVarKeys    Code = "D_DECL_PROTO_VARARGS" // ... among the keys of an array
	DeclArray      Code = "D_DECL_ARRSUB"        // an array length that is not a positive constant
	DeclArrayBig   Code = "D_DECL_ARRBIG"        // an array length that is too big
	DeclArrayNull  Code = "D_DECL_ARRNULL"       // an array without a length
	DeclLocalAssoc Code = "D_DECL_LOCASSC"       // a declared associative array in this->
	DeclMemberName Code = "D_DECL_MNAME"         // a member without a name
	DeclBitsConst  Code = "D_DECL_BFCONST"       // a bit-field whose width is no positive constant
	DeclBitsType   Code = "D_DECL_BFTYPE"        // a bit-field that is no integer
	DeclBitsSize   Code = "D_DECL_BFSIZE"        // a bit-field wider than its type
	DeclEnumConst  Code = "D_DECL_ENCONST"       // an enumerator whose value is no constant
	DeclEnumBig    Code = "D_DECL_ENOFLOW"       // an enumerator that does not fit an int
)

// The tags of stability and of the pragmas that speak of it.
const (
	AttrMin      Code = "D_ATTR_MIN"      // something that promises less than the option amin asks for
	PragmaUnused Code = "D_PRAGMA_UNUSED" // a pragma that speaks of what nothing declares
	PragmaScope  Code = "D_PRAGMA_SCOPE"  // a pragma that speaks of what the script does not declare
)

// The tags of provider declarations and of arguments that are translated.
const (
	ProvBadName  Code = "D_PROV_BADNAME"  // a name that a provider or probe cannot have
	ProvIncompat Code = "D_PROV_INCOMPAT" // a declaration that does not fit the probe
	ProvDup      Code = "D_PROV_PRDUP"    // a probe declared twice
	ProvArgs     Code = "D_PROV_PRARGLEN" // a probe with too many arguments
	ProvXlator   Code = "D_PROV_PRXLATOR" // an argument that no translator makes
	ArgsXlator   Code = "D_ARGS_XLATOR"   // args[n] that no translator makes
)

// The tags of translators.
const (
	XlateRedecl   Code = "D_XLATE_REDECL"    // a second translator between the same types
	XlateNoConv   Code = "D_XLATE_NOCONV"    // a member that the translator says nothing of
	XlateNone     Code = "D_XLATE_NONE"      // types that no translator goes between
	XlateSou      Code = "D_XLATE_SOU"       // a translator to what is no struct or union
	XlateIncompat Code = "D_XLATE_INCOMPAT"  // a member that cannot hold what it is translated from
	XlateMember   Code = "D_XLATE_MEMB"      // a member that the output of the translator does not have
	DeclProtoName Code = "D_DECL_PROTO_NAME" // a parameter without a name
)

// The tags of functions and actions.
const (
	ProtoArg      Code = "D_PROTO_ARG"          // an argument of the wrong type
	ProtoLen      Code = "D_PROTO_LEN"          // the wrong number of arguments or keys
	TraceVoid     Code = "D_TRACE_VOID"         // trace() of what has no value
	TraceDyn      Code = "D_TRACE_DYN"          // trace() of an aggregation
	TracememAddr  Code = "D_TRACEMEM_ADDR"      // tracemem() of what is no address
	TracememSize  Code = "D_TRACEMEM_SIZE"      // tracemem() with a bad size
	StackSize     Code = "D_STACK_SIZE"         // stack() with a bad depth
	UstackFrames  Code = "D_USTACK_FRAMES"      // ustack() with a bad depth
	UstackStr     Code = "D_USTACK_STRSIZE"     // ustack() with a bad string size
	ActSpec       Code = "D_ACT_SPEC"           // a destructive action after speculate()
	AggSpec       Code = "D_AGG_SPEC"           // an aggregation after speculate()
	AggComm       Code = "D_AGG_COMM"           // an aggregation after commit()
	CommDrec      Code = "D_COMM_DREC"          // commit() after something was recorded
	DrecComm      Code = "D_DREC_COMM"          // something recorded after commit()
	ExitSpec      Code = "D_EXIT_SPEC"          // exit() after speculate()
	SpecComm      Code = "D_SPEC_COMM"          // speculate() after commit()
	SpecDrec      Code = "D_SPEC_DREC"          // speculate() after something was recorded
	SpecSpec      Code = "D_SPEC_SPEC"          // speculate() twice in one clause
	FreopenBad    Code = "D_FREOPEN_INVALID"    // freopen() to a name that stands for something else
	PrintSize     Code = "D_PRINT_SIZE"         // print() of what has no size
	ChillLong     Code = "D_CHILL_LIMIT"        // chill() for longer than it may take
	AllocaSize    Code = "D_ALLOCA_SIZE"        // alloca() with a bad size
	AllocaMix     Code = "D_ALLOCA_INCOMPAT"    // a variable for scratch memory and for other addresses
	PrintfFormat  Code = "D_PRINTF_FMT_EMPTY"   // an empty format
	PrintfFmtArg  Code = "D_PRINTF_ARG_FMT"     // a format that is no string constant
	PrintfArgs    Code = "D_PRINTF_ARG_TYPE"    // a value that its conversion cannot print
	PrintfProto   Code = "D_PRINTF_ARG_PROTO"   // a conversion without a value
	PrintfExtra   Code = "D_PRINTF_ARG_EXTRA"   // a value without a conversion
	PrintfDyn     Code = "D_PRINTF_DYN_PROTO"   // a * without a value
	PrintfDynType Code = "D_PRINTF_DYN_TYPE"    // a * whose value is no integer
	PrintfAgg     Code = "D_PRINTF_AGG_CONV"    // %@ outside of printa()
	PrintaProto   Code = "D_PRINTA_PROTO"       // printa() with the wrong number of arguments
	PrintaAgg     Code = "D_PRINTA_AGGARG"      // printa() of what is no aggregation
	PrintaKey     Code = "D_PRINTA_AGGKEY"      // printa() of aggregations with different numbers of keys
	PrintaKeyType Code = "D_PRINTA_AGGPROTO"    // printa() of aggregations with different keys
	ClearAgg      Code = "D_CLEAR_AGGARG"       // clear() of what is no aggregation
	TruncAgg      Code = "D_TRUNC_AGGARG"       // trunc() of what is no aggregation
	NormalizeAgg  Code = "D_NORMALIZE_AGGARG"   // normalize() of what is no aggregation
	AggRedefined  Code = "D_AGG_REDEF"          // one aggregation, two functions
	AggFunc       Code = "D_AGG_FUNC"           // a function that does not aggregate
	AggScalar     Code = "D_AGG_SCALAR"         // an aggregating function needs a scalar
	AggNull       Code = "D_AGG_NULL"           // an aggregation that nothing fills
	AggMultiDim   Code = "D_AGG_MDIM"           // aggregations are not multi-dimensional
	AggVoid       Code = "D_CG_EXPR"            // an aggregating function used as a value
	LquantBase    Code = "D_LQUANT_BASETYPE"    // lquantize(): the base is no constant
	LquantBaseVal Code = "D_LQUANT_BASEVAL"     // lquantize(): the base does not fit 32 bits
	LquantLimType Code = "D_LQUANT_LIMTYPE"     // lquantize(): the limit is no constant
	LquantLimVal  Code = "D_LQUANT_LIMVAL"      // lquantize(): the limit does not fit 32 bits
	LquantLimit   Code = "D_LQUANT_MISMATCH"    // lquantize(): the limit is not above the base
	LquantStep    Code = "D_LQUANT_STEPTYPE"    // lquantize(): the step is no positive constant
	LquantStepVal Code = "D_LQUANT_STEPVAL"     // lquantize(): the step does not fit 16 bits
	LquantShort   Code = "D_LQUANT_STEPSMALL"   // lquantize(): too many buckets
	LquantLarge   Code = "D_LQUANT_STEPLARGE"   // lquantize(): the step exceeds the range
	LquantMatch   Code = "D_LQUANT_MATCHBASE"   // lquantize(): the base differs from the first use
	LquantMatchL  Code = "D_LQUANT_MATCHLIM"    // lquantize(): the limit differs from the first use
	LquantMatchS  Code = "D_LQUANT_MATCHSTEP"   // lquantize(): the step differs from the first use
	LLQuantType   Code = "D_LLQUANT_FACTORTYPE" // llquantize(): the factor is no constant
	LLQuantVal    Code = "D_LLQUANT_FACTORVAL"  // llquantize(): the factor is out of range
	LLQuantLowT   Code = "D_LLQUANT_LMAGTYPE"   // llquantize(): the low magnitude is no constant
	LLQuantLowV   Code = "D_LLQUANT_LMAGVAL"    // llquantize(): the low magnitude is out of range
	LLQuantHighT  Code = "D_LLQUANT_HMAGTYPE"   // llquantize(): the high magnitude is no constant
	LLQuantHighV  Code = "D_LLQUANT_HMAGVAL"    // llquantize(): the high magnitude is out of range
	LLQuantStepT  Code = "D_LLQUANT_STEPTYPE"   // llquantize(): the steps are no constant
	LLQuantStepV  Code = "D_LLQUANT_STEPVAL"    // llquantize(): the steps do not divide the range
	LLQuantSameF  Code = "D_LLQUANT_MATCHFACTOR"
	LLQuantSameL  Code = "D_LLQUANT_MATCHLMAG"
	LLQuantSameH  Code = "D_LLQUANT_MATCHHMAG"
	LLQuantSameS  Code = "D_LLQUANT_MATCHSTEPS"
)

// Our own tags.
const (
	Denied      Code = "D_DENIED"      // what the asker of a helper may not do, or see
	Unsupported Code = "D_UNSUPPORTED" // D that dscope does not have yet, or that Linux cannot do; the message says which
	Destructive Code = "D_DESTRUCTIVE" // a destructive action without -w
	IdentNest   Code = "D_NESTING"     // names that stand for names that stand for names, too deep
	Narrow      Code = "D_NARROW"      // a value of 64 bits, or a stack, of which less is kept; a warning
	NullExpr    Code = "D_EXPR_NULL"   // an expression without an effect; a warning
	FailedCall  Code = "D_SYSCALL_ERR" // the result of a system call compared with -1, which on Linux is EPERM alone; a warning
	Verifier    Code = "D_VERIFIER"    // the kernel's verifier refused the program
	Preprocess  Code = "D_CPP"         // what the preprocessor of -C cannot do
	Portable    Code = "D_PORTABLE"    // what DTrace does not have; a warning, if one asks
	LoopBound   Code = "D_LOOP_BOUND"  // a loop of which nobody knows when it ends, or with a bound that is none
	JumpNowhere Code = "D_JUMP"        // break or continue outside of a loop
	Return      Code = "D_RETURN"      // a function that returns what it does not promise, or not what it promises
	Recursion   Code = "D_RECURSION"   // a function that calls itself
	Internal    Code = "D_INTERNAL"    // a mistake of the compiler itself
	FuncRecords Code = "D_FUNC_VALUE"  // a function that has a value and records
)
