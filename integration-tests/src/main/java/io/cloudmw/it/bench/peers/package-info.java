/** What people use today, as contenders of {@code cloudmw bench race --peers}. */
@NullMarked
package io.cloudmw.it.bench.peers;

import org.jspecify.annotations.NullMarked;
