package binary

import (
	"errors"

	"dscope.dev/probes/budget"
)

// fileLimits are what may be spent on one file: memory that is held at any time, and
// entries of debug information that are read in all. A question more earns workEarned.
var fileLimits = budget.Limits{Memory: 1 << 30, Work: maxWork}

// What is believed of a file at most. The largest programs in use have a few
// million symbols and a few gigabytes of debug information.
const (
	maxSections = 1 << 17 // a kernel module has one for each function if it was built so
	maxSegments = 1 << 10
	maxSymbols  = 2 << 20   // functions of a file: browsers have half of them
	maxTable    = 512 << 20 // bytes of a section that is held in memory
	maxName     = 1 << 12   // bytes of a name
	maxBuildID  = 64        // bytes
	maxNotes    = 16 << 20  // bytes of notes in one section
	maxPacked   = 64 << 20  // bytes of .gnu_debugdata
	maxMini     = 256 << 20 // bytes that it may become
	mostPacked  = 2000      // times that something can shrink when it is packed

	maxUnit    = 256 << 20 // bytes of one unit of debug information
	maxUnits   = 1 << 20
	maxAbbrevs = 1 << 20   // of one table
	maxAttrs   = 1 << 12   // of one entry
	maxDepth   = 256       // of nested entries, and of types that are made of types
	maxMembers = 1 << 16   // of a struct, an enumeration, a list of parameters
	maxRanges  = 1 << 16   // of one function
	maxArray   = 1 << 30   // elements
	maxWork    = 1 << 28   // entries that are read of one file
	workEarned = 1 << 14   // entries, by each question
	maxFiles   = 1 << 20   // directories, and files, that the lines of one unit name
	maxHeld    = 128 << 20 // bytes of units that are kept

	bytesPerWork = 8 // of lines, which count as one entry
)

var (
	errTooLarge = errors.New("it is larger than any that makes sense")
)
