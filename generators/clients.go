package generators

import "slices"

// clientVerbs are the methods that a client of a type has: those that its tags leave,
// and those of the status only if it has one.
func (d *declaration) clientVerbs(tags Tags) []string {
	if tags.NoVerbs {
		return nil
	}
	hasStatus := !tags.NoStatus && d.has("Status", visited{})
	return slices.DeleteFunc(slices.Clone(tags.Verbs), func(verb string) bool {
		return !hasStatus && (verb == "updateStatus" || verb == "applyStatus")
	})
}

// listType is the name of the type's list, if the package declares one that can be
// decoded.
func (d *declaration) listType() string {
	if list := d.decodableList(); list != nil {
		return list.spec.Name.Name
	}
	return ""
}

func (d *declaration) decodableList() *declaration {
	list := d.pkg.typ(d.spec.Name.Name + "List")
	if has, _ := d.list(); !has || !list.embeds("TypeMeta").found && !list.unalias().hasMethod("GetObjectKind") {
		return nil
	}
	return list
}

// addUncopiedList notes the list of a type if it has no DeepCopyObject, which only
// clients need.
func (c *collector) addUncopiedList(decl *declaration, tags Tags) {
	list := decl.decodableList()
	if c.options.Clients && list != nil && !list.copies() {
		c.uncopied = append(c.uncopied, uncopied{name: list.spec.Name.Name, root: tags.Root, pos: decl.pkg.loader.position(list.spec.Name.Pos())})
	}
}
