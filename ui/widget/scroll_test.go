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
