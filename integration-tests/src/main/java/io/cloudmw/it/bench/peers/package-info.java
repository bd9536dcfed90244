/** Other libraries for S3, as contenders of {@code cloudmw bench race --peers}. */
@NullMarked
package io.cloudmw.it.bench.peers;

import org.jspecify.annotations.NullMarked;
