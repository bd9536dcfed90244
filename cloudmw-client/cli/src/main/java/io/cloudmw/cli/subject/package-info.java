/** The commands about subjects: their rights, roles and tokens. */
@NullMarked
package io.cloudmw.cli.subject;

import org.jspecify.annotations.NullMarked;
