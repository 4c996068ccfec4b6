// Frames of C++: virtual functions, templates, lambdas, destructors, and functions that
// run while an exception is thrown.
#include <algorithm>
#include <stdexcept>
#include <vector>
#define KEEP __attribute__((noinline, noclone))
volatile int sink;
namespace plane {
KEEP static int leaf(int n) { sink += n; return n + 1; }
struct Shape {
	virtual int area(int n) = 0;
	virtual ~Shape() {}
};
struct Circle : Shape {
	KEEP int area(int n) override { int r = leaf(n); sink = r; return r; }
};
template <class T> KEEP T twice(Shape *s, T n) { T r = s->area(n) * 2; sink = r; return r; }
struct Guard {
	KEEP ~Guard() { leaf(5); sink++; }
};
KEEP static void thrower(int n) { Guard g; if (n) throw std::runtime_error("out"); leaf(1); sink++; }
KEEP static int caught(int n)
{
	try {
		thrower(n);
	} catch (std::exception &e) {
		int r = leaf(8);
		sink = r;
		return r;
	}
	return 0;
}
}
int main()
{
	plane::Circle c;
	plane::twice<int>(&c, 3);
	plane::caught(1);
	std::vector<int> v{3, 1, 2};
	std::for_each(v.begin(), v.end(), [](int n) { int r = plane::leaf(n); sink = r; });
	sink++;
}
