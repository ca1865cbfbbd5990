package httpio

import "net/url"

// maxPage bounds page numbers, so that nothing computed from one overflows.
const maxPage = 1 << 20

// Paging is which page of a list is asked for: Page counts from 0, Size items each.
type Paging struct{ Page, Size int }

// ReadPaging reads the parameters page and size (limit in the v1 routes). Size 0
// or over limit is limit.
func ReadPaging(q url.Values, size string, fallback, limit int) (Paging, error) {
	page, err := Int(q, "page", 0, maxPage)
	if err != nil {
		return Paging{}, err
	}
	n, err := Int(q, size, fallback, 1<<20)
	if n == 0 || n > limit {
		n = limit
	}
	return Paging{Page: page, Size: n}, err
}

// Cut returns the page's part of a whole list.
func Cut[T any](all []T, p Paging) []T {
	from := min(p.Page*p.Size, len(all))
	return all[from:min(from+p.Size, len(all))]
}

// Page is a page of a list as Harness's NG routes have it.
type Page[T any] struct {
	Content          []T      `json:"content"`
	TotalElements    int      `json:"totalElements"`
	TotalPages       int      `json:"totalPages"`
	Size             int      `json:"size"`
	Number           int      `json:"number"`
	NumberOfElements int      `json:"numberOfElements"`
	First            bool     `json:"first"`
	Last             bool     `json:"last"`
	Empty            bool     `json:"empty"`
	Sort             sorting  `json:"sort"`
	Pageable         pageable `json:"pageable"`
}

type sorting struct {
	Sorted   bool `json:"sorted"`
	Unsorted bool `json:"unsorted"`
	Empty    bool `json:"empty"`
}

type pageable struct {
	Sort       sorting `json:"sort"`
	Offset     int     `json:"offset"`
	PageNumber int     `json:"pageNumber"`
	PageSize   int     `json:"pageSize"`
	Paged      bool    `json:"paged"`
	Unpaged    bool    `json:"unpaged"`
}

// NGPage is a page of a list as most of Harness's NG routes have it: PageResponse.
type NGPage[T any] struct {
	TotalPages int  `json:"totalPages"`
	TotalItems int  `json:"totalItems"`
	ItemCount  int  `json:"pageItemCount"`
	Size       int  `json:"pageSize"`
	Content    []T  `json:"content"`
	Index      int  `json:"pageIndex"`
	Empty      bool `json:"empty"`
	Token      any  `json:"pageToken"` // always null
}

// NGPageOf wraps the items of one page of a list of total items.
func NGPageOf[T any](items []T, total int, p Paging) NGPage[T] {
	if items == nil {
		items = []T{}
	}
	return NGPage[T]{TotalPages: (total + p.Size - 1) / p.Size, TotalItems: total, ItemCount: len(items), Size: p.Size, Content: items,
		Index: p.Page, Empty: len(items) == 0}
}

// PageOf wraps the items of one page of a list of total items.
func PageOf[T any](items []T, total int, p Paging) Page[T] {
	if items == nil {
		items = []T{}
	}
	s := sorting{Sorted: true}
	pages := (total + p.Size - 1) / p.Size
	return Page[T]{Content: items, TotalElements: total, TotalPages: pages, Size: p.Size, Number: p.Page,
		NumberOfElements: len(items), First: p.Page == 0, Last: p.Page >= pages-1, Empty: len(items) == 0, Sort: s,
		Pageable: pageable{Sort: s, Offset: p.Page * p.Size, PageNumber: p.Page, PageSize: p.Size, Paged: true}}
}
