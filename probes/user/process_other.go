//go:build !linux

package user

import "errors"

func available() error { return errors.New("tracing needs Linux") }
