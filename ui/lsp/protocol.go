package lsp

// What of the protocol is spoken here, under its own names. Numbers are those of the
// specification.

type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"` // in the units that were agreed on
	}

	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}

	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}

	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}

	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}

	documentID struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
	}

	// about is what every request about a document has.
	about struct {
		TextDocument documentID `json:"textDocument"`
	}

	// aboutPlace is what requests about a place have.
	aboutPlace struct {
		about
		Position position `json:"position"`
	}
)

func (a about) document() string { return a.TextDocument.URI }

type initializeParams struct {
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		TextDocument struct {
			Hover struct {
				ContentFormat []string `json:"contentFormat"`
			} `json:"hover"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

type (
	initializeResult struct {
		Capabilities capabilities `json:"capabilities"`
		ServerInfo   serverInfo   `json:"serverInfo"`
	}

	serverInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}

	capabilities struct {
		PositionEncoding       string           `json:"positionEncoding"`
		TextDocumentSync       syncOptions      `json:"textDocumentSync"`
		CompletionProvider     triggers         `json:"completionProvider"`
		HoverProvider          bool             `json:"hoverProvider"`
		SignatureHelpProvider  triggers         `json:"signatureHelpProvider"`
		DefinitionProvider     bool             `json:"definitionProvider"`
		ReferencesProvider     bool             `json:"referencesProvider"`
		DocumentHighlight      bool             `json:"documentHighlightProvider"`
		RenameProvider         renameOptions    `json:"renameProvider"`
		DocumentFormatting     bool             `json:"documentFormattingProvider"`
		DocumentSymbolProvider bool             `json:"documentSymbolProvider"`
		SemanticTokensProvider semanticOptions  `json:"semanticTokensProvider"`
		CodeActionProvider     codeActionOption `json:"codeActionProvider"`
	}

	syncOptions struct {
		OpenClose bool `json:"openClose"`
		Change    int  `json:"change"` // 2: in pieces
		Save      bool `json:"save"`
	}

	triggers struct {
		TriggerCharacters []string `json:"triggerCharacters"`
	}

	renameOptions struct {
		PrepareProvider bool `json:"prepareProvider"`
	}

	semanticOptions struct {
		Legend legend `json:"legend"`
		Full   bool   `json:"full"`
	}

	legend struct {
		TokenTypes     []string `json:"tokenTypes"`
		TokenModifiers []string `json:"tokenModifiers"`
	}

	codeActionOption struct {
		CodeActionKinds []string `json:"codeActionKinds"`
	}
)

type (
	openParams struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
			Text    string `json:"text"`
		} `json:"textDocument"`
	}

	changeParams struct {
		about
		ContentChanges []contentChange `json:"contentChanges"`
	}

	contentChange struct {
		Range *span  `json:"range"` // nil if Text is all of the new text
		Text  string `json:"text"`
	}
)

// severities of the protocol.
const (
	severityError       = 1
	severityWarning     = 2
	severityInformation = 3
)

type (
	publishParams struct {
		URI         string       `json:"uri"`
		Version     int          `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}

	diagnostic struct {
		Range    span      `json:"range"`
		Severity int       `json:"severity"`
		Code     string    `json:"code"`
		Source   string    `json:"source"`
		Message  string    `json:"message"`
		Related  []related `json:"relatedInformation,omitempty"`
	}

	related struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}

	messageParams struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}
)

type (
	completionParams struct {
		aboutPlace
		Context struct {
			TriggerCharacter string `json:"triggerCharacter"`
		} `json:"context"`
	}

	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}

	completionItem struct {
		Label      string   `json:"label"`
		Kind       int      `json:"kind"`
		Detail     string   `json:"detail,omitempty"`
		SortText   string   `json:"sortText"`
		FilterText string   `json:"filterText"`
		TextEdit   textEdit `json:"textEdit"`
	}

	hover struct {
		Contents markup `json:"contents"`
		Range    span   `json:"range"`
	}

	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}

	signatureHelp struct {
		Signatures      []signature `json:"signatures"`
		ActiveSignature int         `json:"activeSignature"`
		ActiveParameter *int        `json:"activeParameter,omitempty"`
	}

	signature struct {
		Label         string      `json:"label"`
		Documentation string      `json:"documentation,omitempty"`
		Parameters    []parameter `json:"parameters"`
	}

	parameter struct {
		Label [2]int `json:"label"` // in units of UTF-16
	}
)

type (
	referenceParams struct {
		aboutPlace
		Context struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
	}

	highlight struct {
		Range span `json:"range"`
	}

	renameParams struct {
		aboutPlace
		NewName string `json:"newName"`
	}

	renameRange struct {
		Range       span   `json:"range"`
		Placeholder string `json:"placeholder"`
	}

	documentSymbol struct {
		Name           string `json:"name"`
		Kind           int    `json:"kind"`
		Range          span   `json:"range"`
		SelectionRange span   `json:"selectionRange"`
	}

	semanticTokens struct {
		Data []uint32 `json:"data"`
	}

	actionParams struct {
		about
		Range span `json:"range"`
	}

	codeAction struct {
		Title       string        `json:"title"`
		Kind        string        `json:"kind"`
		Diagnostics []diagnostic  `json:"diagnostics,omitempty"`
		IsPreferred bool          `json:"isPreferred,omitempty"`
		Edit        workspaceEdit `json:"edit"`
	}
)
