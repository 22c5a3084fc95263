import sys,re,os,subprocess,collections
src=open('/work/shared/tools/names.py').read().replace('\nmain()\n','\n')
exec(src)
root='/tmp/w/h'
bare=[];types=collections.defaultdict(list)
for name,text in files(root):
    text=without_tests(text)
    lines=text.split('\n')
    for n,line in enumerate(lines,1):
        code=line.split('//')[0]
        if name.endswith('.rs'):
            for m in re.finditer(r"\bfn\s+([a-z_][a-z_0-9]*)",code):
                if m.group(1) in BARE: bare.append((name,n,m.group(1)))
            for m in re.finditer(r"\b(?:struct|enum|trait|union)\s+([A-Z]\w*)",code): types[m.group(1)].append((name,n))
        else:
            for m in re.finditer(r"\b(?:class|interface|enum|record)\s+([A-Z]\w*)",code): types[m.group(1)].append((name,n))
with open('/tmp/w/names/fns.tsv','w') as f:
    for r in bare: f.write('\t'.join(map(str,r))+'\n')
with open('/tmp/w/names/types.tsv','w') as f:
    for t,w in sorted(types.items(),key=lambda i:-len(i[1])):
        if len({x for x,_ in w})>3 and t not in('Args','Error'):
            for a,b in w: f.write(f'{a}\t{b}\t{t}\n')
