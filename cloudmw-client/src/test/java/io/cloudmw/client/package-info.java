/** Tests of the client's public behaviour, against helpers and a coordinator that follow scripts. */
@NullMarked
package io.cloudmw.client;

import org.jspecify.annotations.NullMarked;
