/** Tests of reads. */
@NullMarked
package io.cloudmw.client.read;

import org.jspecify.annotations.NullMarked;
