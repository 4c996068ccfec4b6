package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"dscope.dev/engine/export"
	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
	"dscope.dev/ui"
	"dscope.dev/ui/home"
)

// exporter returns what writes files for the workbench, in the formats of dscope export. h
// says where the runs were.
func exporter(h replay.Header) ui.Exporter {
	var list []ui.ExportFormat
	for _, f := range export.Formats() {
		list = append(list, ui.ExportFormat{Name: f.Name, End: f.Ends[0], Help: f.Help})
	}
	return ui.Exporter{Formats: list, Write: func(ctx context.Context, e ui.Export) (string, string, error) {
		f, err := export.Guess(e.File)
		if err != nil {
			return "", "", err
		}
		file := home.Expand(e.File)
		if err := writeExport(ctx, file, f, e, h); err != nil {
			return "", "", fmt.Errorf("export to %s: %w", file, err)
		}
		return file, f.Name, nil
	}}
}

// writeExport writes a file, which has its name once it is whole.
func writeExport(ctx context.Context, file string, f export.Format, e ui.Export, h replay.Header) error {
	if _, err := os.Lstat(file); err == nil && !e.Replace {
		return fs.ErrExist
	}
	o := export.Options{Format: f, Script: e.Past.Script}
	l := look{about: aboutOf(h)}
	if v := e.View; v != nil {
		o.Agg, o.One, o.At, o.Keep = v.Agg, true, v.At, v.Keep
		if l.figure = v.Figure; !f.Figure {
			l.figure = ""
		}
	}
	out, err := newPrivate(file)
	if err != nil {
		return err
	}
	defer out.discard()
	w, err := newExport(out.f, f, o, l)
	if err != nil {
		return err
	}
	past := e.Past
	past.Snapshots = func(yield func(trace.Snapshot) bool) {
		for s := range e.Past.Snapshots {
			if ctx.Err() != nil || !yield(s) {
				return
			}
		}
	}
	err = past.Follow(w, w)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err = errors.Join(err, out.f.Sync()); err != nil {
		return err
	}
	if e.Replace {
		return out.keep()
	}
	return out.keepNew()
}
