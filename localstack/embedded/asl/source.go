package asl

import (
	"bytes"
	"sort"
)

// source is a definition's text after substitution, able to say where in the
// author's file an offset came from.
type source struct {
	file     string
	original []byte
	text     []byte
	splices  []splice // ascending by at
}

// splice says that text[at:] continues the original at from.
type splice struct{ at, from int }

// substitute replaces every ${Name} as CloudFormation's DefinitionSubstitutions
// do: in the raw text, without escaping.
func substitute(file string, original []byte, values map[string]string) (*source, Problems) {
	s := &source{file: file, original: original}
	var problems Problems
	rest := 0
	for {
		start := bytes.Index(original[rest:], []byte("${"))
		if start < 0 {
			break
		}
		start += rest
		length := bytes.IndexByte(original[start:], '}')
		if length < 0 {
			problems = append(problems, s.problemAt(start, "${ without a closing }: name a substitution, ${Name}"))
			break
		}
		name := string(original[start+2 : start+length])
		s.copy(rest, start)
		rest = start + length + 1
		value, ok := values[name]
		if !ok {
			problems = append(problems, s.problemAt(start, "no substitution is given for ${"+name+"}: pass a value for "+name))
			value = name
		}
		s.splices = append(s.splices, splice{len(s.text), start})
		s.text = append(s.text, value...)
	}
	s.copy(rest, len(original))
	return s, problems
}

func (s *source) copy(from, to int) {
	s.splices = append(s.splices, splice{len(s.text), from})
	s.text = append(s.text, s.original[from:to]...)
}

// problem places a message at an offset of the substituted text.
func (s *source) problem(offset int, message string) Problem {
	i := sort.Search(len(s.splices), func(i int) bool { return s.splices[i].at > offset }) - 1
	if i < 0 {
		return s.problemAt(0, message)
	}
	from := s.splices[i].from + offset - s.splices[i].at
	if i+1 < len(s.splices) && from > s.splices[i+1].from {
		from = s.splices[i].from // inside a value longer than its placeholder
	}
	return s.problemAt(from, message)
}

// problemAt places a message at an offset of the author's text.
func (s *source) problemAt(offset int, message string) Problem {
	before := s.original[:min(offset, len(s.original))]
	return Problem{
		File:    s.file,
		Line:    bytes.Count(before, []byte("\n")) + 1,
		Column:  len(before) - bytes.LastIndexByte(before, '\n'),
		Message: message,
	}
}
