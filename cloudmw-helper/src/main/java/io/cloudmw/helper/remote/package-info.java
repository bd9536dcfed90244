/**
 * The bulk plane from the calling side: disks of other helpers as stores. Calls block their thread; listeners run on
 * event loops and do not.
 */
@NullMarked
package io.cloudmw.helper.remote;

import org.jspecify.annotations.NullMarked;
