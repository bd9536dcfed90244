/** Tests of reads from peers. */
@NullMarked
package io.cloudmw.client.read.peer;

import org.jspecify.annotations.NullMarked;
