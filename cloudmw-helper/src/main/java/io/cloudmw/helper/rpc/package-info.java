/**
 * The helper's gRPC edge: the only place here that knows generated types. Callbacks come on gRPC threads and are
 * handed on to the owners' executors.
 */
@NullMarked
package io.cloudmw.helper.rpc;

import org.jspecify.annotations.NullMarked;
