package main

import "errors"

func workbench(string) error { return errors.New("soon") }
