/**
 * The reachability of buckets from this process. A watch asks them now and then on threads of its own; any thread may
 * read its findings.
 */
@NullMarked
package io.cloudmw.core.reach;

import org.jspecify.annotations.NullMarked;
