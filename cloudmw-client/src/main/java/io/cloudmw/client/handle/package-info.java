/**
 * Files that are open for positional reads. Each keeps its plan, and requests a leaf from a helper with one request
 * of the bulk plane. A failed request falls back to the ordinary read ({@link
 * io.cloudmw.client.transfer.TransferStarter#get}). Safe for any thread; never blocks.
 */
@NullMarked
package io.cloudmw.client.handle;

import org.jspecify.annotations.NullMarked;
