import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.stream.StreamSource;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.Serializer;
import net.sf.saxon.s9api.XdmNode;
import net.sf.saxon.s9api.XsltExecutable;
import net.sf.saxon.s9api.XsltTransformer;

/** Rounds of a transformation that sorts and groups a document. Fails if the result changes. */
public final class Transform {
    private static final String SHEET = "<xsl:stylesheet version='3.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
            + "<xsl:template match='/'><groups><xsl:for-each-group select='//item' group-by='@kind'>"
            + "<xsl:sort select='current-grouping-key()'/><group kind='{current-grouping-key()}' sum='{sum(current-group()/@value)}'>"
            + "<xsl:for-each select='current-group()'><xsl:sort select='name' order='descending'/>"
            + "<xsl:copy><xsl:value-of select='upper-case(name)'/></xsl:copy></xsl:for-each></group></xsl:for-each-group></groups>"
            + "</xsl:template></xsl:stylesheet>";

    private Transform() {
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        StringBuilder text = new StringBuilder("<items>");
        for (int item = 0; item < 4_000; item++) {
            text.append("<item kind='k").append(item * 31 % 53).append("' value='").append(item).append("'><name>name ")
                    .append(item * 7919 % 4001).append("</name></item>");
        }
        text.append("</items>");
        Processor processor = new Processor(false);
        XsltExecutable sheet = processor.newXsltCompiler().compile(new StreamSource(new StringReader(SHEET)));
        String first = null;
        for (int round = 0; round < rounds; round++) {
            XdmNode document = processor.newDocumentBuilder().build(new StreamSource(new StringReader(text.toString())));
            StringWriter out = new StringWriter();
            Serializer serializer = processor.newSerializer(out);
            XsltTransformer transformer = sheet.load();
            transformer.setInitialContextNode(document);
            transformer.setDestination(serializer);
            transformer.transform();
            if (first != null && !first.equals(out.toString())) {
                throw new AssertionError("round " + round + " gives another result");
            }
            first = out.toString();
        }
    }
}
