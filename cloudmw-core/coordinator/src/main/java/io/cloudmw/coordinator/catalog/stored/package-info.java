/**
 * The encodings in which catalogs store records and the answers of changes. Stateless; safe for any thread.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.stored;

import org.jspecify.annotations.NullMarked;
