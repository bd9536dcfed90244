/**
 * The handlers of reads and writes that arrive on the bulk plane. Listeners run on event loops and hand everything that blocks
 * to bounded pools.
 */
@NullMarked
package io.cloudmw.helper.serve;

import org.jspecify.annotations.NullMarked;
