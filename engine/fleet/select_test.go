package fleet

import "testing"

func TestSelector(t *testing.T) {
	web := Card{Name: "web-1", Labels: map[string]string{"role": "web", "zone": "a/1"}}
	db := Card{Name: "db-1", Labels: map[string]string{"role": "db"}}
	for _, test := range []struct {
		text    string
		web, db bool
	}{
		{"*", true, true},
		{"web-*", true, false},
		{"web-?, db-1", true, true},
		{"role=db", false, true},
		{"role!=db", true, false},
		{"zone=*", true, false}, // a label that is missing has no value
		{"zone=a*", true, false},
		{"zone!=b", true, true},
		{"role=*,zone!=a/1", false, true},
		{"web-*,role=db", false, false},
		{"[dw]*,role=db", false, true},
	} {
		s, err := ParseSelector(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := s.Match(&web); got != test.web {
			t.Errorf("%s matches web-1: %v", test.text, got)
		}
		if got := s.Match(&db); got != test.db {
			t.Errorf("%s matches db-1: %v", test.text, got)
		}
	}
	for _, bad := range []string{"", "web-*,", "=db", "!=db", "[", "role=["} {
		if _, err := ParseSelector(bad); err == nil {
			t.Errorf("%q is a selector", bad)
		}
	}
}
