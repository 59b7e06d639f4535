// Package failure has the errors of informers, and says what follows from them. Each error of a list or
// watch has a class, by which the informer decides what to do next. A handler's panic has a policy.
//
//	error of a list or watch ─► ClassOf ─► Class ─► next request, backoff, log line
//
// An ObjectError is about one object: the other objects of its list or watch are not affected. Errors may
// be wrapped: use errors.Is, errors.As and ClassOf.
package failure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Class is a kind of error. The informer reacts in the same way to all errors of a class.
type Class uint8

const (
	// ClassOther is any error that is in no other class.
	ClassOther Class = iota
	// ClassForbidden means that the server does not allow the request (401, 403). It needs operator action:
	// credentials, or RBAC.
	ClassForbidden
	// ClassNotFound means that the server does not have the resource (404). It needs operator action: its
	// CRD or API server must be installed.
	ClassNotFound
	// ClassExpired means that the server no longer has the resourceVersion (410), or that the version is
	// from before a restart of the server's history. Everything is listed again.
	ClassExpired
	// ClassTooLarge means that the server has not reached the resourceVersion yet. The latest state is
	// listed.
	ClassTooLarge
	// ClassTooManyRequests means that the server asks to retry later (429). A watch continues from the last
	// resourceVersion, after a backoff. After the third refused watch-list in a row, the informer lists.
	ClassTooManyRequests
	// ClassServerError means that the server failed (5xx). Everything is listed again, after a backoff.
	ClassServerError
	// ClassConnection means that the server can't be reached, or that the connection was lost. A watch
	// continues from the last resourceVersion.
	ClassConnection
	// ClassDecode means that the response can't be decoded.
	ClassDecode
	// ClassSilent means that nothing came on an open list or watch within the idle timeout. A watch is
	// opened again, from the last resourceVersion.
	ClassSilent
	// ClassSelectionChanged means that the source selects other objects than before. Everything is listed
	// again, at once. It is no failure: a watch that ended with it has succeeded.
	ClassSelectionChanged
)

var classNames = [...]string{
	ClassOther:           "other",
	ClassForbidden:       "forbidden",
	ClassNotFound:        "not found",
	ClassExpired:         "expired",
	ClassTooLarge:        "version too large",
	ClassTooManyRequests: "too many requests",
	ClassServerError:     "server error",
	ClassConnection:      "connection",
	ClassDecode:          "decode",
	ClassSilent:          "silent",

	ClassSelectionChanged: "selection changed",
}

// String returns the class as logs and JSON have it, such as "too many requests".
func (c Class) String() string {
	if int(c) >= len(classNames) {
		return fmt.Sprintf("class %d", uint8(c))
	}
	return classNames[c]
}

// ClassOf returns the class of an error of a list or watch, which may be wrapped. The class of nil is
// ClassOther.
func ClassOf(err error) Class {
	switch {
	case err == nil:
		return ClassOther
	case errors.Is(err, ErrSelectionChanged):
		return ClassSelectionChanged
	case isExpired(err):
		return ClassExpired
	case isTooLarge(err):
		return ClassTooLarge
	case errors.Is(err, ErrBookmarkMissing) || errors.Is(err, ErrWatchIdle) || errors.Is(err, ErrListIdle):
		return ClassSilent
	case apierrors.IsTooManyRequests(err):
		return ClassTooManyRequests
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		return ClassForbidden
	case apierrors.IsNotFound(err) || meta.IsNoMatchError(err):
		return ClassNotFound
	case isServerError(err):
		return ClassServerError
	case isConnection(err):
		return ClassConnection
	case isDecode(err):
		return ClassDecode
	default:
		return ClassOther
	}
}

// isExpired reports whether a resourceVersion has expired. A 410 has one of two reasons.
func isExpired(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || errors.Is(err, ErrHistoryRestarted)
}

// tooLargeMessage names the cause on servers before 1.18.6.
const tooLargeMessage = "Too large resource version"

func isTooLarge(err error) bool {
	if apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		return true
	}
	var status apierrors.APIStatus
	if !apierrors.IsTimeout(err) || !errors.As(err, &status) {
		return false
	}
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			if cause.Message == tooLargeMessage {
				return true
			}
		}
	}
	return strings.Contains(status.Status().Message, tooLargeMessage)
}

// isStatus reports whether err is a status that the API server sent.
func isStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

func isServerError(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code >= http.StatusInternalServerError
}

func isConnection(err error) bool {
	if isStatus(err) {
		return false
	}
	var network net.Error // for example, of a dial or of a name that is not found
	return errors.As(err, &network) ||
		errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		utilnet.IsConnectionRefused(err) ||
		utilnet.IsProbableEOF(err) ||
		utilnet.IsTimeout(err) ||
		utilnet.IsConnectionReset(err) ||
		utilnet.IsHTTP2ConnectionLost(err)
}

// isDecode reports whether the decoder of a source returned err.
func isDecode(err error) bool {
	var object *ObjectError
	var syntax *json.SyntaxError
	var field *json.UnmarshalTypeError
	return errors.Is(err, ErrUndecodable) || errors.As(err, &object) || errors.As(err, &syntax) || errors.As(err, &field) ||
		runtime.IsNotRegisteredError(err) || runtime.IsMissingKind(err) || runtime.IsMissingVersion(err)
}
