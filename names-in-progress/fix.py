import json,collections,re,glob,pathlib
u=json.load(open('/tmp/w/names/unknown.json'))
old_of=collections.defaultdict(set)
for f in glob.glob('/tmp/w/names/OUT-*.tsv'):
    for l in open(f):
        k,file,ln,old,new,owner=(l.rstrip('\n').split('\t')+['-'])[:6]
        old_of[new].add(old)
unused=collections.defaultdict(set); miss=collections.defaultdict(set)
for x in u:
    f=x[1] if isinstance(x[1],str) else (x[1][0][0] if x[1] else '?'); m=x[0]
    if m.startswith('unused import'): unused[f]|=set(re.findall(r'(\w+)`',m))
    m2=re.match(r'cannot find (?:.*?)`(\w+)`',m)
    if m2: miss[f].add(m2.group(1))
for f in miss:
    p=pathlib.Path(f); t=p.read_text()
    for y in miss[f]:
        olds=old_of.get(y,set())|{y}
        c=[x for x in unused[f] if old_of.get(x,set())&olds]
        if len(c)==1 and c[0]!=y:
            t=re.sub(r'(?<!::)\b%s\b'%y if y in old_of else r'\b%s\b'%y,c[0],t); print(f,y,'->',c[0])
        else: print('LEFT',f,y,c,unused[f])
    p.write_text(t)
