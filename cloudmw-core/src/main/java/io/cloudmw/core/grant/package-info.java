/**
 * The rights of subjects on volumes and paths, their roles in the cluster, and their tokens. Immutable values and pure
 * rules.
 */
@NullMarked
package io.cloudmw.core.grant;

import org.jspecify.annotations.NullMarked;
