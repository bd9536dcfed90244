package io.cloudmw.core.model.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class BucketEncryptionTest {
    private static final String KEY = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab";

    @Test
    void encryptionIsDescribedWithItsKey() {
        assertThat(BucketEncryption.NONE.describe()).isEqualTo("none");
        assertThat(BucketEncryption.AES256.describe()).isEqualTo("AES256");
        assertThat(BucketEncryption.kms("", false).describe()).isEqualTo("aws:kms");
        assertThat(BucketEncryption.kms(KEY, true).describe())
                .isEqualTo("aws:kms with key " + KEY + " and a bucket key");
    }

    @Test
    void modeIsFoundByTheWordThatS3HasForIt() {
        for (BucketEncryption.Mode mode : BucketEncryption.Mode.values()) {
            assertThat(BucketEncryption.Mode.of(mode.word())).isEqualTo(mode);
        }
        assertThatThrownBy(() -> BucketEncryption.Mode.of("kms"))
                .hasMessage("encryption: \"kms\" (expected: none, AES256, aws:kms)");
    }

    @Test
    void keysBelongToKmsOnly() {
        assertThatThrownBy(() -> new BucketEncryption(BucketEncryption.Mode.AES256, KEY, false))
                .hasMessage("encryption AES256: with a KMS key (expected: aws:kms)");
        assertThatThrownBy(() -> new BucketEncryption(BucketEncryption.Mode.NONE, "", true))
                .hasMessage("encryption none: with a bucket key (expected: aws:kms)");
    }

    @Test
    void malformedKeyOrAliasIsRefused() {
        for (String wrong : new String[] {" ", "a\nb", "key with spaces", "-"}) {
            assertThatThrownBy(() -> BucketEncryption.kms(wrong, false)).hasMessageContaining("expected: arn:aws:kms");
        }
        for (String alias : new String[] {"alias/files", "arn:aws:kms:eu-west-1:123456789012:alias/files"}) {
            assertThatThrownBy(() -> BucketEncryption.kms(alias, false)).hasMessageContaining("not the alias");
        }
    }

    @Test
    void keyThatTheStoreNamesIsComparedByItsEnd() {
        assertThat(BucketEncryption.kms(KEY, false).hasKey(KEY)).isTrue();
        assertThat(BucketEncryption.kms("1234abcd-12ab-34cd-56ef-1234567890ab", false)
                        .hasKey(KEY))
                .isTrue();
        assertThat(BucketEncryption.kms("files", false).hasKey("arn:aws:kms:files"))
                .isTrue();
        assertThat(BucketEncryption.kms("", false).hasKey(KEY)).as("any key").isTrue();
        assertThat(BucketEncryption.kms(KEY, false).hasKey(KEY + "0")).isFalse();
        assertThat(BucketEncryption.kms("90ab", false).hasKey(KEY)).isFalse();
        assertThat(BucketEncryption.kms(KEY, false).hasKey("")).isFalse();
    }
}
