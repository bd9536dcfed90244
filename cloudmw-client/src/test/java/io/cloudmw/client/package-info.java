/** What a user of the client may rely on, against helpers and a coordinator that do what a script says. */
@NullMarked
package io.cloudmw.client;

import org.jspecify.annotations.NullMarked;
