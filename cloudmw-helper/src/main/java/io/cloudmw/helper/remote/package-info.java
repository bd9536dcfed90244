/**
 * Stores at other helpers: their disks, and buckets that they write for this helper, over the bulk plane. Calls block their
 * thread; listeners run on event loops and do not block.
 */
@NullMarked
package io.cloudmw.helper.remote;

import org.jspecify.annotations.NullMarked;
