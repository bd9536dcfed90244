/** Tests of edits. */
@NullMarked
package io.cloudmw.client.edit;

import org.jspecify.annotations.NullMarked;
