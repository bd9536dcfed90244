package io.cloudmw.coordinator.catalog.dynamodb.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests that the table in {@code infra/modules/coordinator} has the keys of a catalog. */
final class TerraformTableTest {
    @Test
    void tableOfTheModuleHasTheKeysOfACatalog() throws IOException {
        String source = Files.readString(Path.of("..", "..", "infra", "modules", "coordinator", "main.tf"));

        assertThat(source)
                .containsPattern("hash_key += \"" + ItemKey.PARTITION + "\"\n")
                .containsPattern("range_key += \"" + ItemKey.SORT + "\"\n");
    }
}
