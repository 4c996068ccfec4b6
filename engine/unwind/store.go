package unwind

import "encoding/binary"

// A piece is a run of rows of one file, which lie in one shard behind their index:
//
//	index   for each block, the unit of the row that holds where it begins: uint16
//	rows    eight bytes each
//	end     31 rows that hold nowhere, so that looking ahead finds no other piece's
//
// A block has at most 31 rows beside the one that holds where it begins. A piece ends
// early where that would be exceeded, and where code without rows would make its
// index large; the last row holds up to the next piece.
type piece struct {
	from, to uint64 // places in the file
	shard    uint16
	index    uint16 // its first unit
	last     uint32 // block
}

const (
	maxGap     = 64 << 10           // bytes of code without a row in a piece
	leastPiece = 2 * BlockRows      // units that are worth filling
	nowhere    = Row(1<<32-1) << 32 // a row behind all places
)

// indexUnits returns how many units the index of so many blocks takes.
func indexUnits(blocks int) int { return (blocks + 3) / 4 }

// cut makes a piece of the first rows of a file, as many as can be in one and lie
// behind the units that a shard holds already.
func cut(rows []Row, used int) (p piece, n int, data []byte) {
	from := rows[0].Place()
	block := func(i int) int { return int(rows[i].Place()-from) >> BlockShift }
	inBlock := 0 // rows that begin in the block of the last, and not with it
	for n = 1; n < len(rows); n++ {
		if block(n) != block(n-1) {
			inBlock = 0
		}
		if (rows[n].Place()-from)%(1<<BlockShift) != 0 {
			inBlock++
		}
		if inBlock > BlockRows || rows[n].Place()-rows[n-1].Place() > maxGap ||
			used+indexUnits(block(n)+1)+n+1+BlockRows > ShardUnits {
			break
		}
	}
	blocks := block(n-1) + 1
	p = piece{from: uint64(from), to: 1 << 32, index: uint16(used), last: uint32(blocks - 1)}
	if n < len(rows) {
		p.to = uint64(rows[n].Place())
	}
	first := used + indexUnits(blocks)
	at := 0
	for b := range blocks {
		for at+1 < n && rows[at+1].Place()-from <= uint32(b)<<BlockShift {
			at++
		}
		data = binary.LittleEndian.AppendUint16(data, uint16(first+at))
	}
	data = append(data, make([]byte, 8*indexUnits(blocks)-len(data))...)
	for _, r := range rows[:n] {
		data = binary.LittleEndian.AppendUint64(data, uint64(r)-uint64(from)<<32)
	}
	for range BlockRows {
		data = binary.LittleEndian.AppendUint64(data, uint64(nowhere))
	}
	return p, n, data
}
