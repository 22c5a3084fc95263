import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.objectweb.asm.Attribute;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Label;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.util.Textifier;
import org.objectweb.asm.util.TextifierSupport;

/** An attribute that ASM does not know, printed as bytes. These do not change, because constants keep their indices. */
final class RawAttribute extends Attribute implements TextifierSupport {
    private byte[] content = {};

    private RawAttribute(String type) {
        super(type);
    }

    /** Prototypes for the unknown attributes of a class, its fields and its methods, but not of code: these may have pcs. */
    static Attribute[] prototypes(ClassNode node) {
        Set<String> types = new LinkedHashSet<>();
        Stream<List<Attribute>> members = Stream.concat(node.fields.stream().map(f -> f.attrs), node.methods.stream().map(m -> m.attrs));
        Stream.concat(Stream.of(node.attrs == null ? List.<Attribute>of() : node.attrs), members)
                .filter(Objects::nonNull).flatMap(Collection::stream)
                .filter(attribute -> !attribute.isCodeAttribute())
                .forEach(attribute -> types.add(attribute.type));
        types.remove("StackMap");
        return types.stream().map(RawAttribute::new).toArray(Attribute[]::new);
    }

    @Override
    protected Attribute read(ClassReader reader, int offset, int length, char[] buffer, int codeOffset, Label[] labels) {
        RawAttribute read = new RawAttribute(type);
        read.content = new byte[length];
        for (int i = 0; i < length; i++) {
            read.content[i] = (byte) reader.readByte(offset + i);
        }
        return read;
    }

    @Override
    public void textify(StringBuilder output, Map<Label, String> labelNames) {
        output.append(java.util.HexFormat.of().formatHex(content)).append('\n');
    }
}
