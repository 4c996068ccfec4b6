package widget

import "testing"

func TestScroll(t *testing.T) {
	s := Scroll{Top: 5, Height: 10, Total: 100}
	for row, top := range map[int]int{0: 0, 4: 4, 5: 5, 14: 5, 15: 6, 99: 90} {
		if got := s.Show(row).Top; got != top {
			t.Errorf("Show(%d).Top = %d, want %d", row, got, top)
		}
	}
	if got := (Scroll{Top: 95, Height: 10, Total: 100}).Clamp().Top; got != 90 {
		t.Errorf("Clamp past the end gives %d", got)
	}
	if got := (Scroll{Top: 3, Height: 10, Total: 4}).Clamp().Top; got != 0 {
		t.Errorf("Clamp of a short list gives %d", got)
	}
}

func TestThumb(t *testing.T) {
	for _, total := range []int{0, 5, 10, 11, 100, 100000} {
		for _, h := range []int{0, 1, 2, 10, 50} {
			for top := 0; top <= max(total-h, 0); top += max(total/50, 1) {
				s := Scroll{top, h, total}
				from, to := s.Thumb()
				if h <= 0 || total <= h {
					if from != to {
						t.Errorf("%+v has a thumb and nothing to scroll", s)
					}
					continue
				}
				if from < 0 || to > h || from >= to {
					t.Fatalf("%+v: thumb %d to %d", s, from, to)
				}
				if h > 2 && to-from < h-1 && (from == 0) != (top == 0) {
					t.Errorf("%+v: thumb begins at %d", s, from)
				}
			}
		}
	}
	s := Scroll{Height: 10, Total: 100}
	if s.At(0) != 0 || s.At(9) != 90 || s.At(99) != 90 || s.At(-1) != 0 {
		t.Errorf("At = %d %d %d %d", s.At(0), s.At(9), s.At(99), s.At(-1))
	}
}
