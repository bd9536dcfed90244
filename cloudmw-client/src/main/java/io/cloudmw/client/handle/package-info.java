/**
 * Files that are open for positional reads: each keeps its plan, and asks the switch that a leaf belongs to by one request of the
 * bulk plane. Safe for any thread; never blocks. Whatever that way fails with, the ordinary one is taken
 * ({@link io.cloudmw.client.transfer.TransferStarter#get}).
 */
@NullMarked
package io.cloudmw.client.handle;

import org.jspecify.annotations.NullMarked;
