package ir

// LoopBlocks returns the blocks of the loop that goes back from one block to another, which every
// way to the first leads through.
func LoopBlocks(from, head *Block) map[*Block]bool {
	in := map[*Block]bool{head: true}
	for work := []*Block{from}; len(work) > 0; {
		b := work[len(work)-1]
		if work = work[:len(work)-1]; !in[b] {
			in[b] = true
			work = append(work, b.Preds...)
		}
	}
	return in
}

// Asks returns the block that asks by OpMayGo nearest before the loop goes back from a block; nil
// if none does.
func Asks(from *Block, in map[*Block]bool) *Block {
	seen := map[*Block]bool{from: true}
	for work := []*Block{from}; len(work) > 0; work = work[1:] {
		if t := work[0].Term(); t.Op == OpBranch && t.Args[0].Op == OpMayGo {
			return work[0]
		}
		for _, p := range work[0].Preds {
			if in[p] && !seen[p] {
				seen[p] = true
				work = append(work, p)
			}
		}
	}
	return nil
}
