package cpp

// ownHeaders stand at the end of the search list. They are those that C leaves to
// the compiler, for a machine that has the C library's headers and no compiler.
// What D knows already is not declared again.
var ownHeaders = map[string]string{
	"stddef.h": `#ifndef _STDDEF_H
#if !defined __need_size_t && !defined __need_wchar_t && !defined __need_NULL && !defined __need_wint_t
#define _STDDEF_H
#endif
#if !defined __wchar_t_defined
#define __wchar_t_defined
typedef int wchar_t;
#endif
#if defined __need_wint_t && !defined __wint_t_defined
#define __wint_t_defined
typedef unsigned int wint_t;
#endif
#undef __need_size_t
#undef __need_wchar_t
#undef __need_NULL
#undef __need_wint_t
#endif
`,
	"float.h":       "", // nothing of it is for D, which does not compute with fractions
	"stdnoreturn.h": "#define noreturn _Noreturn\n",
	"stdalign.h":    "#define alignas _Alignas\n#define alignof _Alignof\n",
	"stdarg.h": `#ifndef __GNUC_VA_LIST
#define __GNUC_VA_LIST
typedef void *__gnuc_va_list;
#endif
#if !defined __need___va_list && !defined _VA_LIST_DEFINED
#define _VA_LIST_DEFINED
typedef __gnuc_va_list va_list;
#endif
#undef __need___va_list
`,
	"stdbool.h": `#ifndef _STDBOOL_H
#define _STDBOOL_H
#define bool _Bool
#define true 1
#define false 0
#define __bool_true_false_are_defined 1
#endif
`,
	"limits.h": `#ifndef _LIMITS_H
#define _LIMITS_H
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#ifdef __CHAR_UNSIGNED__
#define CHAR_MIN 0
#define CHAR_MAX UCHAR_MAX
#else
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#endif
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1L)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1LL)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif
`,
}
